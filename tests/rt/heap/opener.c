/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks of a library that finds the C library's malloc before the program's, and of functions that dlsym
 * finds there: opener PLUGIN WAY COUNT. Each block is freed by the other side. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *give(size_t);
typedef void *move(void *, size_t);
typedef void take(void *);
typedef char *copy(const char *);

static give *their_give;
static move *their_move;
static take *their_take;

static void *found(void *library, const char *name) {
    void *function = dlsym(library, name);
    if (!function)
        exit(1);
    return function;
}

/* main does not see that these are malloc. */
static void *volatile moved; /* prevents compilers from removing the realloc */

static void exchange(int count) {
    for (int i = 0; i < count; i++) {
        free(their_give(40));
        their_take(malloc(50));
        their_take(their_move(malloc(60), 600));
        moved = realloc(their_give(70), 700);
        free(moved);
    }
}

static void *opened(const char *path, int mode) {
    void *library = dlopen(path, mode);
    if (!library)
        exit(1);
    return library;
}

static int count;

static void by_library(const char *path, int mode) {
    void *library = opened(path, mode);
    their_give = (give *)found(library, "give");
    their_move = (move *)found(library, "move");
    their_take = (take *)found(library, "take");
    copy *their_copy = (copy *)found(library, "copy");
    exchange(count);
    free(their_copy("text"));
    ((void (*)(void))found(library, "end"))();
}

static void by_names(void *library) {
    their_give = (give *)found(library, "malloc");
    their_move = (move *)found(library, "realloc");
    their_take = (take *)found(library, "free");
    exchange(count);
}

/* glibc keeps the first few freed blocks in caches outside its arenas, which differ from the copy's. */
static void by_copy(void) {
    their_give = (give *)found(dlmopen(LM_ID_NEWLM, "libc.so.6", RTLD_NOW), "malloc");
    for (int i = 0; i < count; i++)
        free(their_give(40));
}

/* A library with a separate C library, which is closed before the process ends. */
static void by_namespace(const char *path) {
    void *library = dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
    their_give = (give *)found(library, "give");
    their_take = (take *)found(library, "take");
    for (int i = 0; i < count; i++)
        their_take(their_give(40));
    dlclose(library);
}

int main(int argc, char **argv) {
    (void)argc;
    const char *path = argv[1], *way = argv[2];
    count = atoi(argv[3]);
    if (strcmp(way, "deepbind") == 0)
        by_library(path, RTLD_NOW | RTLD_DEEPBIND);
    else if (strcmp(way, "deepbind_lazy") == 0)
        by_library(path, RTLD_LAZY | RTLD_DEEPBIND);
    else if (strcmp(way, "plugin") == 0)
        by_names(opened(path, RTLD_NOW));
    else if (strcmp(way, "libc") == 0)
        by_names(opened("libc.so.6", RTLD_NOW));
    else if (strcmp(way, "next") == 0)
        by_names(RTLD_NEXT);
    else if (strcmp(way, "namespace") == 0)
        by_namespace(path);
    else
        by_copy();
    puts("done");
    return 3;
}
