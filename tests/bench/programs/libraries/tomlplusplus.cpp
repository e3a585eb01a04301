/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Parses a TOML file with toml++ and writes it again, as TOML and as JSON.
#include "repeat.h"
#include <sstream>
#include <toml++/toml.h>

static std::size_t parse_and_write(const std::string &text) {
    toml::table table = toml::parse(text);
    std::ostringstream out;
    out << table << toml::json_formatter{table};
    return out.str().size();
}

int main(int argc, char **argv) {
    return repeat(parse_and_write, argc, argv);
}
