/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// mmap'ed memory that is registered as a root, was registered for a while, or is not.
#define _GNU_SOURCE
#include "common.h"

#include <allocsite.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 1 << 16, BEFORE = 24 };

static char *shared;

static char *map(int flags) {
    char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? abort(), NULL : memory;
}

static void check(int is_right) {
    if (!is_right)
        abort();
}

NOINLINE static void fill(char *memory, void *block) {
    *(void **)(void *)(memory + SIZE / 2) = block;
}

// The first block refers to the second.
NOINLINE static void *pair(void) {
    void **first = malloc(16);
    *first = malloc(32);
    return first;
}

NOINLINE static void map_all(void) {
    char *own = map(MAP_PRIVATE), *part = map(MAP_PRIVATE), *twice = map(MAP_PRIVATE);
    char *former = map(MAP_PRIVATE), *other = map(MAP_PRIVATE);
    shared = map(MAP_SHARED);
    fill(own, pair());
    fill(shared, pair());
    fill(part, pair());
    *(void **)(void *)(part + BEFORE) = malloc(48); // @ possibly 1 48
    fill(twice, pair());
    fill(former, malloc(64)); // @ possibly 1 64
    fill(other, malloc(80));  // @ possibly 1 80
    check(allocsite_register_root(own, SIZE) == 0);
    check(allocsite_register_root(shared, SIZE) == 0);
    check(allocsite_register_root(part + BEFORE + 8, SIZE - BEFORE - 8) == 0);
    check(allocsite_register_root(twice, SIZE) == 0 && allocsite_register_root(twice, SIZE) == 0);
    check(allocsite_unregister_root(twice, SIZE) == 0);
    check(allocsite_register_root(former, SIZE) == 0 && allocsite_unregister_root(former, SIZE) == 0);
    check(allocsite_unregister_root(former, SIZE) == ENOENT && allocsite_unregister_root(own, 8) == ENOENT);
    check(allocsite_register_root(NULL, 8) == EINVAL && allocsite_register_root(own, 0) == EINVAL);
    check(allocsite_register_root(own, (size_t)-1) == EINVAL);
    char *gone = map(MAP_PRIVATE);
    check(allocsite_register_root(gone, SIZE) == 0 && munmap(gone, SIZE) == 0);
}

NOINLINE static void leave(void) {
    lose(malloc(96)); // @ lost 1 96
}

int main(void) {
    map_all();
    leave();
    clear_stack();
    pid_t child = fork();
    int status = ((volatile char *)shared)[SIZE / 2]; // of shared memory, a child has the pages that it touched
    if (child > 0 && (waitpid(child, &status, 0) != child || status != 3 << 8))
        abort();
    if (child > 0)
        puts("done");
    clear_stack();
    return 3;
}
