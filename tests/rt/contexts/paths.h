/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Records of call paths: a tree of paths that a program maintains and writes to a file, with the number of
// allocations of each. Functions pass their path as an argument, so that recording neither allocates nor prevents
// tail calls.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>

#define APART __attribute__((noinline))
#define HERE  __asm__ volatile("" ::: "memory")

struct Path {
    const Path *caller;
    const char *function;
    unsigned count;
};

static Path paths[1 << 20];
static unsigned path_count;
static pthread_mutex_t books = PTHREAD_MUTEX_INITIALIZER;

APART static Path *enter(const Path *caller, const char *function) {
    pthread_mutex_lock(&books);
    uintptr_t hash =
        (reinterpret_cast<uintptr_t>(caller) / sizeof(Path) * 31 + reinterpret_cast<uintptr_t>(function)) *
            0x9E3779B97F4A7C15u >>
        44;
    Path *path = &paths[hash];
    while (path->function && (path->caller != caller || path->function != function))
        path = path == &paths[(1 << 20) - 1] ? paths : path + 1;
    if (!path->function) {
        path_count++;
        *path = Path{caller, function, 0};
    }
    pthread_mutex_unlock(&books);
    if (path_count > 1 << 19)
        abort();
    return path;
}

#define ENTER(caller) Path *path = enter(caller, __func__)

APART static void note(Path *path) {
    __atomic_add_fetch(&path->count, 1, __ATOMIC_RELAXED);
}

APART static void write_books(const char *name) {
    FILE *file = fopen(name, "w");
    for (Path &path : paths)
        if (path.count) {
            fprintf(file, "%u", path.count);
            for (const Path *at = &path; at; at = at->caller)
                fprintf(file, " %s", at->function);
            fputc('\n', file);
        }
    fclose(file);
}
