/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the blocks that a process can still reach: a conservative search in its copy, by the rules of
 * LeakSanitizer. An aligned word whose value is an address in a block reaches the block.
 *
 * Roots are the writable data of all modules, and the stack, registers and thread-local memory of all
 * threads. The search continues through the blocks that it reaches. Stacks of coroutines are searched when a
 * pointer to them is found. The runtime's own memory is not searched. Blocks of the dynamic loader (dynamic
 * thread-local memory) and of the runtime count as reached.
 *
 * A block is possibly leaked if only memory that the program mapped itself leads to it: undetected stacks,
 * arenas, shared memory. A block is wrongly called leaked if it is known only to the kernel (epoll), through
 * a disguised pointer, or as the result of a thread that was never joined.
 *
 * Roots are outside of blocks: a block is searched as a whole if it is reached, and only then. A stack that
 * the program allocated is therefore searched because its stack pointer reaches it. A root whose end is
 * uncertain ends at the next block at the latest. */
#ifndef ALLOCSITE_DUMP_CAPTURE_SEARCH_H
#define ALLOCSITE_DUMP_CAPTURE_SEARCH_H

#include "dump/capture/capture.h"
#include "dump/graph/graph.h"

/* ---- Words that point to blocks. */

/* A word, its location, and the block that it points to. */
struct found {
    size_t block;
    uint64_t word, at;
};

typedef void found_function(void *context, const struct found *);

struct words {
    const struct finder *finder;
    struct coroutines *coroutines; /* stacks that words may point to; NULL: not searched */
    bool heads;                    /* as for finder_find */
    found_function *found;
    void *context;
};

void words_see(const struct words *, uint64_t word, uint64_t at);

/* Searches all aligned words of the span that were copied. */
void words_search(const struct words *, struct span);

/* Searches only words outside of blocks. */
void words_search_between(const struct words *, struct span);

/* ---- Roots. */

struct root_found {
    enum graph_root_kind kind;
    uint32_t thread; /* 0: not of a thread */
    size_t block;
    uint64_t at; /* data and stacks: address of the word; else 0 */
};

struct capture_roots {
    const struct capture_maps *maps;
    const struct stop *stop;
    const struct heap *heap;
    const struct finder *finder;
    struct coroutines *coroutines; /* as in struct words */
    void (*found)(void *context, const struct root_found *);
    void *context;
};

/* Reports all blocks that roots point to. */
void capture_roots_find(const struct capture_roots *);

/* Reports blocks that stacks of coroutines found since the last call point to. False: there are no such
 * stacks. */
bool capture_roots_find_coroutines(const struct capture_roots *);

/* The thread's static thread-local memory and its descriptor. */
struct span capture_thread_memory(const struct capture_maps *, const struct stopped_thread *, unsigned pid);

/* ---- Stacks of suspended coroutines, in memory that the program mapped.
 *
 * A coroutine is known by its saved stack pointer. A word that points into anonymous memory is a stack
 * pointer if a return address is near its target, where calls and context switches leave one. The stack
 * reaches from there to the end of the mapping. */

/* Anonymous memory that contains the stack of a coroutine. */
struct coroutine {
    uint64_t from;     /* the lowest word that looks like a stack pointer */
    uint64_t searched; /* memory from here to the end was searched */
    uint64_t end;
};

enum { CODE_PAGES = 64, CODE_PAGE = 4096 };

struct coroutines {
    const struct capture_maps *maps;
    const struct stop *stop;
    const struct image *image;
    struct remote_memory *memory; /* for reading code, which was not copied */
    struct coroutine *list;
    size_t count, capacity;
    bool are_pending;
    uint64_t lowest, extent; /* bounds of all mappings, for a quick test */
    struct span passed_over; /* the last mapping that a word pointed to and that cannot hold a stack */
    struct code_page {
        uint64_t address; /* 0: none */
        bool is_there;
        unsigned char bytes[CODE_PAGE];
    } * code; /* recently read pages */
};

void coroutines_open(struct coroutines *, const struct capture_maps *, const struct stop *,
                     const struct image *, struct remote_memory *);
void coroutines_close(struct coroutines *);
void coroutines_see(struct coroutines *, uint64_t word);

/* ---- Which blocks are reached. */

enum reached { REACHED_NOT, REACHED_POSSIBLY, REACHED };

struct reaching {
    struct capture_roots roots;
    unsigned char *reached; /* enum reached of each block */
    uint32_t *pending;      /* reached blocks whose words have not been searched */
    size_t pending_count;
    enum reached now; /* state given to the blocks that are reached next */
};

void reaching_open(struct reaching *, const struct capture_roots *);
void reaching_close(struct reaching *);
void reaching_reach(struct reaching *, size_t block);

/* Continues from the blocks reached so far. */
void reaching_go_on(struct reaching *);

/* Searches from the roots. */
void reaching_from_roots(struct reaching *);

/* Runs last: reaches all blocks that other memory mapped by the program points to (mapped.c). */
void mapped_search(struct reaching *, const struct heap *);

#endif
