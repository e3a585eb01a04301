/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs a fuzz target over the files of a folder, and over small files truncated and altered at every byte. */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

/* A block of the exact size, so that a sanitizer detects the first byte beyond the end. */
static void run(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size ? size : 1);
    for (size_t i = 0; i < size; i++)
        copy[i] = data[i];
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

/* In a large file records repeat, so each byte gets one change, and each field of records gets all of them.
 */
static void run_damaged(uint8_t *data, size_t size) {
    enum { CHANGES = 3, LARGE = 1 << 12 };
    static const uint8_t changes[CHANGES] = {0x01, 0x80, 0xFF};
    size_t step = size > LARGE ? CHANGES : 1;
    for (size_t at = 0; at < size; at++) {
        run(data, at);
        for (size_t i = at % step; i < CHANGES; i += step) {
            data[at] ^= changes[i];
            run(data, size);
            data[at] ^= changes[i];
        }
    }
}

static int run_file(const char *path) {
    enum { SIZE_MAX_READ = 1 << 20, SIZE_MAX_DAMAGED = 1 << 14 };
    static uint8_t data[SIZE_MAX_READ];
    FILE *file = fopen(path, "rb");
    if (!file)
        return -1;
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    run(data, size);
    if (size <= SIZE_MAX_DAMAGED)
        run_damaged(data, size);
    return 0;
}

int main(int count, char **arguments) {
    DIR *folder = count == 2 ? opendir(arguments[1]) : NULL;
    if (!folder) {
        fprintf(stderr, "usage: %s FOLDER\n", arguments[0]);
        return 2;
    }
    int runs = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", arguments[1], entry->d_name);
        if (entry->d_name[0] != '.')
            runs += run_file(path) == 0;
    }
    closedir(folder);
    printf("%d files\n", runs);
    return runs == 0;
}
