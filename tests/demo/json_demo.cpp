/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

// Parses an ISO 639-3 table (Debian: iso-codes) with nlohmann/json and prints the number of languages of each
// type. The library is all templates in headers: nearly all allocations are in code inlined from it.
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

using nlohmann::json;

static std::map<std::string, std::size_t> count_by_type(const json &languages) {
    std::map<std::string, std::size_t> counts;
    for (const json &language : languages)
        ++counts[language.at("type").get<std::string>()];
    return counts;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        std::cerr << "usage: json_demo ISO_639-3.JSON\n";
        return 2;
    }
    std::ifstream file(argv[1]);
    try {
        const json table = json::parse(file);
        for (const auto &[type, count] : count_by_type(table.at("639-3")))
            std::cout << type << ' ' << count << '\n';
    } catch (const json::exception &error) {
        std::cerr << "json_demo: " << argv[1] << ": " << error.what() << '\n';
        return 1;
    }
}
