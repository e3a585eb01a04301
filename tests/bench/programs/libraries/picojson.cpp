// Parses a JSON file with PicoJSON and writes it again.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "file.h"
#include <cstdio>
#include <cstdlib>
#include <picojson.h>

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    std::string text = contents(argv[2]);
    std::size_t total = 0;
    for (int rounds = atoi(argv[1]); rounds > 0; rounds--) {
        picojson::value value;
        if (!picojson::parse(value, text).empty())
            return 1;
        total += value.serialize().size();
    }
    printf("%zu\n", total);
}
