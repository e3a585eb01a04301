/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Leaks a block, keeps one reachable, or neither, and ends with status 3. Both words are arguments. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *kept;
static void *volatile sink;

__attribute__((noinline)) static void *leak(void) {
    return malloc(10);
}

/* Leaves no pointer to the block in a register or on the stack. */
__attribute__((noinline)) static void clear(void) {
    volatile char above[4096];
    for (size_t i = 0; i < sizeof above; i++)
        above[i] = 0;
    sink = NULL;
}

int main(int count, char **words) {
    FILE *file = fopen("written", "w");
    if (count != 3 || !file)
        return 1;
    sink = leak();
    if (strcmp(words[1], "nothing") == 0)
        free(sink);
    else if (strcmp(words[1], "reachable") == 0)
        kept = sink;
    clear();
    fputs("unflushed", file);
    if (strcmp(words[2], "_exit") == 0) {
        fclose(file);
        _exit(3);
    }
    if (strcmp(words[2], "quick_exit") == 0) {
        fclose(file);
        quick_exit(3);
    }
    return 3;
}
