// A whole file as a string.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FILE_H
#define FILE_H

#include <fstream>
#include <iterator>
#include <string>

static inline std::string contents(const char *path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

#endif
