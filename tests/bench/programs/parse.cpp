/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Parses a JSON file with nlohmann/json and writes it again.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    std::ifstream file(argv[2]);
    std::string text(std::istreambuf_iterator<char>(file), {});
    std::size_t total = 0;
    for (int rounds = atoi(argv[1]); rounds > 0; rounds--)
        total += nlohmann::json::parse(text).dump().size();
    printf("%zu\n", total);
}
