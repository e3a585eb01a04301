// Parses a TOML file with toml11 and writes it again.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "file.h"
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <toml.hpp>

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    std::string text = contents(argv[2]);
    std::size_t total = 0;
    for (int rounds = atoi(argv[1]); rounds > 0; rounds--) {
        std::istringstream in(text);
        total += toml::format(toml::parse(in)).size();
    }
    printf("%zu\n", total);
}
