/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where the search in reach.h starts. */
#ifndef ALLOCSITE_LIB_REACH_ROOTS_H
#define ALLOCSITE_LIB_REACH_ROOTS_H

#include "lib/base/maps.h"
#include "lib/reach/blocks.h"
#include "lib/reach/stop.h"
#include "lib/who/modules.h"

struct modules_data {
    struct span *data; /* writable segments, without the runtime's own */
    size_t data_count;
    size_t heap_first, heap_last; /* of these, the C library's: its heap is administered there */
    struct span *tls; /* the calling thread's memory of each module that has thread-local variables */
    size_t tls_count;
    size_t mapped;
};

/* To be called while the dynamic loader's list of modules stands still: within dl_iterate_phdr. */
bool modules_data_read(struct modules_data *);
void modules_data_release(struct modules_data *);

/* The thread that calls reach_find_lost: its registers are on its stack. */
struct caller {
    uintptr_t sp, tp;
    bool is_first; /* the process's first thread */
};

struct roots {
    const struct maps *maps;
    const struct modules_data *modules;
    const struct stop *stop;
    struct caller caller;
    const struct module *loader; /* what the dynamic loader allocates is in use; NULL: there is none */
};

/* Reaches all blocks that the roots point to. */
void roots_search(const struct roots *, struct blocks *);

/* Reaches what the words from begin to end point to, as far as they can be read. */
void search_span(const struct maps *, struct blocks *, struct span);

#endif
