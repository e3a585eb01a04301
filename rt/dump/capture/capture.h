/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Capture of a running process: its mappings and modules, a copy of its memory, and the results computed from
 * the copy. */
#ifndef ALLOCSITE_DUMP_CAPTURE_CAPTURE_H
#define ALLOCSITE_DUMP_CAPTURE_CAPTURE_H

#include "cfi/cfi.h"
#include "dump/capture/heap.h"
#include "dump/load/source.h"
#include "dump/stop/stop.h"

enum map_kind {
    MAP_OTHER,
    MAP_DATA, /* may hold pointers that the program stored: readable memory, not a device, and writable or
               * without a file */
    MAP_ANONYMOUS_DATA, /* MAP_DATA that may be heap: private, writable, without file and name */
};

struct capture_map {
    uint64_t begin, end;
    bool is_readable, is_writable, is_stack;
    enum map_kind kind;
};

struct span {
    uint64_t begin, end;
};

/* Memory that the program mapped, as in struct mapping (lib/heap/mappings.h). */
struct capture_mapping {
    uint64_t begin, end;
    uint32_t slot;
    uint32_t unused;
    uint64_t number;
};

/* A writable segment of a module. */
struct capture_data {
    uint64_t begin, end, base;
    const char *path;
    bool heads; /* of the C library */
};

/* A module and the location of its unwind tables. */
struct capture_module {
    uint64_t begin, end, base; /* first to last segment; load bias to add to the file's addresses */
    uint64_t tables, tables_size, header; /* the segment that contains them; header 0: no tables */
    const char *path;
};

struct capture_maps {
    struct capture_map *list;
    size_t count, capacity;
    struct capture_data *data;
    size_t data_count, data_capacity;
    struct capture_module *modules;
    size_t module_count, module_capacity;
    uint64_t thread_local;      /* upper bound of all modules' static thread-local memory in bytes */
    struct span *runtime_spans; /* memory that the runtime mapped, by ascending address */
    size_t runtime_span_count;
    struct span runtime_data; /* the runtime's writable segment; empty if it is linked statically */
    struct span *registered;  /* memory that the program registered as roots, by ascending address */
    size_t registered_count;
    struct capture_mapping *mappings; /* with maps=1, those of the program, by ascending address */
    size_t mapping_count;
    uint64_t allocator;  /* address of a function of the allocator in use; 0: unknown */
    const char *program; /* path of the executable */
    struct string_pool strings;
};

/* Reads the mappings of a stopped process. False: *why has the reason. */
bool capture_maps_read(struct capture_maps *, struct remote_memory *, const struct remote_root *,
                       const struct heap *, struct reason *why);
void capture_maps_free(struct capture_maps *);

/* The mapping that contains the address; NULL: none. */
const struct capture_map *capture_maps_at(const struct capture_maps *, uint64_t address);

/* True if roots may be in the mapping. */
bool capture_maps_is_root(const struct capture_maps *, const struct capture_map *, const struct stop *);

/* ---- Frames of stacks. */

struct graph;

struct capture_frame {
    uint64_t begin, end; /* range of the stack that the frame occupies */
    uint32_t thread;
    const char *module; /* NULL: outside any module */
    uint64_t address;   /* return address, or an instruction's address plus one, as an address of the module's
                         * file */
};

/* Walks the stack of a stopped thread with the unwind tables that modules have in memory. */
struct capture_walk;

/* image: holds the stacks; NULL: they are read from the process. */
struct capture_walk *capture_walk_open(const struct capture_maps *, struct remote_memory *,
                                       const struct image *);
void capture_walk_close(struct capture_walk *);

/* Called for each frame, innermost first, and whether it has a caller. False ends the walk. */
typedef bool capture_frame_visitor(void *context, const struct cfi_frame *, enum cfi_next);

/* False: the visitor ended the walk, or a frame had no unwind information. */
bool capture_walk_thread(struct capture_walk *, const struct stopped_thread *, capture_frame_visitor *,
                         void *context);

/* Names roots on stacks after the functions whose frames contain them, innermost inlined function first.
 * Their offsets must be addresses. The process may be running again. */
struct capture_roots;
void capture_frames(struct graph *, const struct capture_roots *, struct remote_memory *,
                    struct string_pool *texts);

/* ---- The variables of modules. */

/* Names roots in the data of modules after symbols. Their offsets must be addresses. */
void capture_variables(struct graph *, const struct capture_maps *, struct string_pool *texts);

/* ---- The copy. The process is stopped only while its memory is copied. */

struct resident;

struct capture_target {
    unsigned pid;
    unsigned thread;     /* a running thread, since the first one may have ended; 0: the first */
    uint64_t caller;     /* address of a struct root_caller in the process, if a thread waits for us and has
                          * passed its counters as standard input; 0: no thread waits */
    bool wants_contents; /* graph: read the beginning of text in blocks */
    const struct line_options *line; /* graph: how to choose the lines of sites; NULL: the default */
    struct resident *resident; /* graph: divide the resident memory instead of finding references, so that
                                * only the block table is copied; NULL: do not */
    bool is_ending;            /* the process may be stopped for long, and shared memory is copied too */
};

struct capture {
    const struct capture_target *target;
    struct root_caller caller;         /* the target's, if a thread waits */
    struct remote_memory memory, copy; /* of the process, and of its forked copy */
    struct process_copy process;
    struct remote_root root;
    struct image image;
    struct heap heap;
    struct capture_maps maps;
    struct stop stop;
    struct finder finder;
    struct report_source source; /* the counters */
    bool has_source;
    uint64_t stopped;
};

/* False: *why has the reason. capture_end must follow in both cases. */
bool capture_begin(struct capture *, const struct capture_target *, struct reason *why);
void capture_end(struct capture *);

/* ---- Results. False: *why has the reason, and there is nothing to free. */

bool capture_graph(struct graph *, const struct capture_target *, struct reason *why);

/* Divides the target's resident memory into parts alone, without sites. */
bool capture_resident(const struct capture_target *, struct reason *why);

/* Finds leaked blocks. The list has their number for each slot that has any; the caller frees it. */
bool capture_leaked(const struct capture_target *, struct root_leaked **list, size_t *count,
                    struct reason *why);

/* The bytes of the block that contains an address and of all blocks reachable from it, each counted once; 0:
 * no such block. Chunks of custom allocators are searched but not counted. */
bool capture_deep_size(const struct capture_target *, uint64_t from, uint64_t *bytes, struct reason *why);

#endif
