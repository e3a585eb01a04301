/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Parses a TOML file with toml11 and writes it again.
#include "repeat.h"
#include <sstream>
#include <toml.hpp>

static std::size_t parse_and_write(const std::string &text) {
    std::istringstream in(text);
    return toml::format(toml::parse(in)).size();
}

int main(int argc, char **argv) {
    return repeat(parse_and_write, argc, argv);
}
