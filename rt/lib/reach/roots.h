/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where a search for what is reached starts. */
#ifndef ALLOCSITE_LIB_REACH_ROOTS_H
#define ALLOCSITE_LIB_REACH_ROOTS_H

#include "lib/base/maps.h"
#include "lib/reach/blocks.h"
#include "lib/reach/stop.h"
#include "lib/who/modules.h"
#include "snapshot/snapshot.h"

/* A segment that can be written. */
struct module_data {
    struct span span;
    struct span whole; /* from the first to the last segment of its module */
    uintptr_t base;    /* what is to be added to the file's addresses */
    const void *start; /* of the module's ELF header */
    const char *name;  /* as the dynamic loader has it, which may be empty */
};

struct modules_data {
    struct module_data *data; /* without the runtime's own */
    size_t data_count;
    size_t heap_first, heap_last; /* of these, the C library's: its heap is administered there */
    struct span *tls; /* the calling thread's memory of each module that has thread-local variables */
    size_t tls_count;
    size_t mapped;
};

/* To be called while the dynamic loader's list of modules stands still: within dl_iterate_phdr. */
bool modules_data_read(struct modules_data *);
void modules_data_release(struct modules_data *);

/* The thread that asks: its registers are on its stack. */
struct caller {
    uintptr_t sp, tp;
    bool is_first; /* the process's first thread */
};

/* A word that leads from a root to a block. */
struct root {
    enum graph_root_kind kind;
    int32_t thread; /* 0: not of one */
    uintptr_t at;   /* of data and stacks: where the word is; else 0 */
    uintptr_t word;
};

struct roots {
    const struct maps *maps;
    const struct modules_data *modules;
    const struct stop *stop;
    struct caller caller;
    const struct module *loader; /* what the dynamic loader allocates is in use; NULL: there is none */
    struct blocks *blocks;
    void (*found)(void *context, struct live_block *, const struct root *);
    void *context;
};

/* Where a thread's stack is searched from. */
uintptr_t roots_stack_begin(const struct roots *, struct caller thread, int32_t id);

/* Tells of all blocks that the roots point to, and of all words that do. */
void roots_search(const struct roots *);

#endif
