/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where a process starts when it follows pointers: data of modules, stacks, registers, thread-local memory,
 * by LeakSanitizer's rules (lib/reach/roots.c). */
#ifndef ALLOCSITE_DUMP_CAPTURE_CAPTURE_H
#define ALLOCSITE_DUMP_CAPTURE_CAPTURE_H

#include "dump/capture/heap.h"
#include "dump/graph/graph.h"
#include "dump/stop/stop.h"

/* Below the stack pointer, for functions that call none. */
enum { RED_ZONE = 128 };

struct capture_map {
    uint64_t begin, end;
    bool is_readable, is_writable, is_stack;
};

/* A writable segment of a module. */
struct capture_data {
    uint64_t begin, end, base;
    const char *path;
    bool heads; /* of the C library */
};

/* A module, and where in it unwind tables are. */
struct capture_module {
    uint64_t begin, end, base;
    uint64_t tables, tables_size, header; /* the segment that has them; header 0: there are none */
    const char *path;
};

struct capture_maps {
    struct capture_map *list;
    size_t count, room;
    struct capture_data *data;
    size_t data_count, data_room;
    struct capture_module *modules;
    size_t module_count, module_room;
    uint64_t thread_local; /* bytes of all modules' thread-local memory together, at most */
    struct string_pool strings;
};

/* Reads them of a process that stands still. False: *why says why. */
bool capture_maps_read(struct capture_maps *, struct remote_memory *, const struct remote_root *,
                       const struct heap *, struct reason *why);
void capture_maps_free(struct capture_maps *);

/* Whether anything is mapped there. */
bool capture_maps_at(const struct capture_maps *, uint64_t address);

/* Whether roots may be in the mapping. */
bool capture_maps_is_root(const struct capture_maps *, const struct capture_map *, const struct stop *);

struct capture_roots {
    const struct capture_maps *maps;
    const struct stop *stop;
    const struct heap *heap;
    const struct finder *finder;
    struct graph *graph; /* whose roots are added to */
    struct string_pool *texts;
};

void capture_roots_find(const struct capture_roots *);

/* Adds a root. */
void capture_root_add(struct graph *, const struct graph_root *);

/* ---- Frames of stacks. */

struct capture_frame {
    uint64_t begin, end; /* of the stack */
    uint32_t thread;
    const char *module; /* NULL: not of one */
    uint64_t
        address; /* behind a call, or one more than that of an instruction, as the module's file has it */
};

/* Names roots on stacks, whose offsets are addresses, by the functions of the frames that have them,
 * innermost ones first. The process may run again. */
void capture_frames(const struct capture_roots *, struct remote_memory *);

/* ---- The variables of modules. */

/* Names roots in the data of modules, whose offsets are addresses, by the symbols of these. */
void capture_variables(struct graph *, const struct capture_maps *, struct string_pool *texts);

/* ---- The graph of a running process's heap. The process stands still while its memory is copied, and only
 * then: names, types and edges are looked up in the copy. */

struct capture_target {
    unsigned pid;
    uint64_t caller; /* address of a struct root_caller there, whose thread waits for us, and has passed its
                        counters as standard input; 0: none does */
    bool wants_contents; /* how texts in blocks begin */
};

/* False: *why says why, and there is nothing to free. */
bool capture_graph(struct graph *, const struct capture_target *, struct reason *why);

#endif
