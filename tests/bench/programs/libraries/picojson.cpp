/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Parses a JSON file with PicoJSON and writes it again.
#include "repeat.h"
#include <picojson.h>

static std::size_t parse_and_write(const std::string &text) {
    picojson::value value;
    if (!picojson::parse(value, text).empty())
        exit(1);
    return value.serialize().size();
}

int main(int argc, char **argv) {
    return repeat(parse_and_write, argc, argv);
}
