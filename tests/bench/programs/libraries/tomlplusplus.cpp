// Parses a TOML file with toml++ and writes it again, as TOML and as JSON.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "file.h"
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <toml++/toml.h>

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    std::string text = contents(argv[2]);
    std::size_t total = 0;
    for (int rounds = atoi(argv[1]); rounds > 0; rounds--) {
        toml::table table = toml::parse(text);
        std::ostringstream out;
        out << table << toml::json_formatter{table};
        total += out.str().size();
    }
    printf("%zu\n", total);
}
