/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Capturing a process: its mappings, its modules, and what is done with the copy of its memory. */
#ifndef ALLOCSITE_DUMP_CAPTURE_CAPTURE_H
#define ALLOCSITE_DUMP_CAPTURE_CAPTURE_H

#include "dump/capture/heap.h"
#include "dump/load/source.h"
#include "dump/stop/stop.h"

enum map_kind {
    MAP_OTHER,
    MAP_DATA, /* may hold pointers that the program stored: writable or of no file, and of no device */
    MAP_ANONYMOUS_DATA, /* that, and private, writable, of no file and without a name, as the heap has */
};

struct capture_map {
    uint64_t begin, end;
    bool is_readable, is_writable, is_stack;
    enum map_kind kind;
};

struct span {
    uint64_t begin, end;
};

/* A writable segment of a module. */
struct capture_data {
    uint64_t begin, end, base;
    const char *path;
    bool heads; /* of the C library */
};

/* A module, and where in it unwind tables are. */
struct capture_module {
    uint64_t begin, end,
        base; /* from its first to its last segment; what is to be added to its file's addresses */
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
    struct span *own;      /* memory that the runtime has mapped, by rising address */
    size_t own_count;
    struct span own_data;    /* the runtime's writable segment; empty: it is linked statically */
    struct span *registered; /* memory that the program has registered as roots, by rising address */
    size_t registered_count;
    uint64_t allocator;  /* a function of the allocator that the program calls; 0: not known */
    const char *program; /* path of the executable */
    struct string_pool strings;
};

/* Reads them of a process that stands still. False: *why says why. */
bool capture_maps_read(struct capture_maps *, struct remote_memory *, const struct remote_root *,
                       const struct heap *, struct reason *why);
void capture_maps_free(struct capture_maps *);

/* What is mapped there; NULL: nothing. */
const struct capture_map *capture_maps_at(const struct capture_maps *, uint64_t address);

/* Whether roots may be in the mapping. */
bool capture_maps_is_root(const struct capture_maps *, const struct capture_map *, const struct stop *);

/* ---- Frames of stacks. */

struct graph;

struct capture_frame {
    uint64_t begin, end; /* of the stack */
    uint32_t thread;
    const char *module; /* NULL: not of one */
    uint64_t
        address; /* behind a call, or one more than that of an instruction, as the module's file has it */
};

/* Names roots on stacks, whose offsets are addresses, by the functions of the frames that have them,
 * innermost ones first. The process may run again. */
struct capture_roots;
void capture_frames(struct graph *, const struct capture_roots *, struct remote_memory *,
                    struct string_pool *texts);

/* ---- The variables of modules. */

/* Names roots in the data of modules, whose offsets are addresses, by the symbols of these. */
void capture_variables(struct graph *, const struct capture_maps *, struct string_pool *texts);

/* ---- Taking the copy. The process stands still while its memory is copied, and only then. */

struct capture_target {
    unsigned pid;
    unsigned thread; /* one of it that runs, for its first one may have ended; 0: that one */
    uint64_t caller; /* address of a struct root_caller there, whose thread waits for us, and has passed its
                        counters as standard input; 0: none does */
    bool wants_contents;             /* of a graph: how texts in blocks begin */
    const struct line_options *line; /* of a graph: which lines its sites are; NULL: the usual ones */
    bool is_ending; /* all of it may stand still for long; wanted is memory that it shares, too */
};

struct capture {
    const struct capture_target *target;
    struct root_caller caller;         /* of the target, if it has one */
    struct remote_memory memory, copy; /* copy: of its copy */
    struct process_copy process;
    struct remote_root root;
    struct image image;
    struct heap heap;
    struct capture_maps maps;
    struct stop stop;
    struct finder finder;
    struct report_source source; /* what it has counted */
    bool has_source;
    uint64_t stopped;
};

/* False: *why says why. To be followed by capture_end either way. */
bool capture_begin(struct capture *, const struct capture_target *, struct reason *why);
void capture_end(struct capture *);

/* ---- What it is for. False: *why says why, and there is nothing to free. */

bool capture_graph(struct graph *, const struct capture_target *, struct reason *why);

/* Finds the lost blocks. Lists for each slot that has any how many; the caller frees that. */
bool capture_lost(const struct capture_target *, struct root_lost **list, size_t *count, struct reason *why);

/* The bytes of the block that an address leads to and of all blocks that these lead to, each once; 0: it
 * leads to none. Chunks that custom allocators hand out in parts are looked through, and count nothing. */
bool capture_deep_size(const struct capture_target *, uint64_t from, uint64_t *bytes, struct reason *why);

#endif
