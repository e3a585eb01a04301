/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Perf maps: the names of code that a just-in-time compiler wrote, in /tmp/perf-PID.map, a line for each
 * function: "START SIZE name", both numbers in hexadecimal digits. Java, node, Python and Mono write them,
 * for perf. */
#ifndef ALLOCSITE_DUMP_LOAD_PERF_MAP_H
#define ALLOCSITE_DUMP_LOAD_PERF_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_map_entry {
    uint64_t start, size;
    size_t number; /* of the line: code that is replaced gets a later one */
    const char *name;
};

/* All zero: nothing is known. */
struct perf_map {
    char *text;
    struct perf_map_entry *list; /* by rising address */
    size_t count, room;
};

/* Reads the map of a process that began at that time (nanoseconds since 1970; 0: not known). An older file is
 * of another process that had the id. The map stays empty if there is none, or another user wrote it. */
void perf_map_open(struct perf_map *, uint64_t pid, uint64_t begun);

/* The same from text that ends with a NUL, which the map owns from here on. Lines of another form are passed
 * over. */
void perf_map_read(struct perf_map *, char *text);

/* The name of the function that has the address; NULL: not known. */
const char *perf_map_find(const struct perf_map *, uint64_t address);

void perf_map_close(struct perf_map *);

#endif
