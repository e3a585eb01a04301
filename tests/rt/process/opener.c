/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opens and closes an instrumented library a thousand times: its sites stay the same. A third argument gives a
 * number of repetitions before, after which the tables of stacks through unloaded modules are full and nothing
 * grows. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Returns the size of all anonymous mappings; the numbers in statm lag behind by some dozens of pages. */
static long anonymous_kib(void) {
    char line[256];
    long kib = -1;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    while (file && kib < 0 && fgets(line, sizeof line, file))
        sscanf(line, "Anonymous: %ld", &kib);
    if (!file || kib < 0)
        abort();
    fclose(file);
    return kib;
}

static void round_trip(const char *path) {
    void *library = dlopen(path, RTLD_LOCAL | RTLD_NOW);
    if (!library)
        abort();
    ((void (*)(void))dlsym(library, "work"))();
    dlclose(library);
}

int main(int count, char **arguments) {
    if (count < 2)
        return 2;
    for (int i = 0; i < (count == 3 ? 9000 : 99); i++)
        round_trip(arguments[1]);
    anonymous_kib();
    round_trip(arguments[1]); /* measuring itself touches pages the first time */
    long before = anonymous_kib();
    for (int i = 0; i < 900; i++)
        round_trip(arguments[1]);
    long grown = anonymous_kib() - before;
    if (count == 3 && grown > 32)
        fprintf(stderr, "%ld KiB more\n", grown);
    puts("done");
    return 3;
}
