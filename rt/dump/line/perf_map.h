/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Perf maps: the names of code that a just-in-time compiler wrote, in /tmp/perf-PID.map. Each line has the
 * form "START SIZE name", with both numbers in hexadecimal. Java, node, Python and Mono write them for
 * perf. */
#ifndef ALLOCSITE_DUMP_LINE_PERF_MAP_H
#define ALLOCSITE_DUMP_LINE_PERF_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_map_entry {
    uint64_t start, size;
    size_t number; /* of the line: replaced code has a higher number */
    const char *name;
};

/* All zero: empty. */
struct perf_map {
    char *text;
    struct perf_map_entry *list; /* by rising address */
    size_t count, capacity;
};

/* Reads the map of a process that began at a time (nanoseconds since 1970; 0: unknown). An older file belongs
 * to an earlier process with the same id. The map stays empty if there is no such file, or another user wrote
 * it. */
void perf_map_open(struct perf_map *, uint64_t pid, uint64_t begun);

/* Like perf_map_open, from NUL-terminated text that the map owns from here on. Skips lines of another
 * form. */
void perf_map_read(struct perf_map *, char *text);

/* Returns the name of the function at the address; NULL: unknown. */
const char *perf_map_find(const struct perf_map *, uint64_t address);

void perf_map_close(struct perf_map *);

#endif
