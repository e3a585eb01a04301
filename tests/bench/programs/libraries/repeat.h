/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The common main of these programs: repeats a task on the content of a file.
#ifndef REPEAT_H
#define REPEAT_H

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

static inline std::string contents(const char *path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

// PROGRAM TIMES FILE: prints the sum of the task's results.
static inline int repeat(std::size_t (*work)(const std::string &), int argc, char **argv) {
    if (argc != 3)
        return 2;
    std::string text = contents(argv[2]);
    std::size_t total = 0;
    for (int rounds = atoi(argv[1]); rounds > 0; rounds--)
        total += work(text);
    printf("%zu\n", total);
    return 0;
}

#endif
