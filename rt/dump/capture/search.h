/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the blocks that a process still points to: a conservative search in its copy, by the rules of
 * LeakSanitizer.
 * An aligned word whose value lies in a block reaches it, at its start or inside.
 *
 * The search starts at the writable data of all modules, and at the stack, the registers and the thread-local
 * memory of all threads, and goes on through the blocks that it reaches. Stacks of coroutines are found by
 * what leads to them. The runtime's own memory does not count. Blocks of the dynamic loader (dynamic
 * thread-local memory) and those of the runtime are in use. Possibly lost are blocks that only other memory
 * leads to which the program mapped itself: stacks that were not found, arenas, shared memory. Called lost,
 * though the program has a way to them: blocks known only to the kernel (epoll), to a pointer that is stored
 * in disguise, or as what a thread returned that was never joined.
 *
 * Roots lie outside of blocks: a block counts if it is reached, and then as a whole. So a stack that the
 * program allocated is searched because its stack pointer reaches it, and where the end of a root is not
 * known exactly, a block behind it does not count as part of it. */
#ifndef ALLOCSITE_DUMP_CAPTURE_SEARCH_H
#define ALLOCSITE_DUMP_CAPTURE_SEARCH_H

#include "dump/capture/capture.h"
#include "dump/graph/graph.h"

/* ---- Words that lead to blocks. */

/* A word that leads to the block, and where it is. */
struct found {
    size_t block;
    uint64_t word, at;
};

typedef void found_function(void *context, const struct found *);

struct words {
    const struct finder *finder;
    struct coroutines *coroutines; /* that words may lead to; NULL: they are not looked for */
    bool heads;                    /* as for finder_find */
    found_function *found;
    void *context;
};

void words_see(const struct words *, uint64_t word, uint64_t at);

/* All aligned words of the span that the copy has. */
void words_search(const struct words *, struct span);

/* The same of words that lie in no block. */
void words_search_between(const struct words *, struct span);

/* ---- Where the search starts. */

struct root_found {
    enum graph_root_kind kind;
    uint32_t thread; /* 0: not of one */
    size_t block;
    uint64_t at; /* of data and stacks: where the word is; else 0 */
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

/* Tells of all blocks that the roots point to. */
void capture_roots_find(const struct capture_roots *);

/* The same of stacks of coroutines that were found since, by roots or in blocks. False: there are none. */
bool capture_roots_find_coroutines(const struct capture_roots *);

/* The thread's static thread-local memory and its descriptor. */
struct span capture_thread_memory(const struct capture_maps *, const struct stopped_thread *, unsigned pid);

/* ---- The stacks of coroutines that are suspended, on memory that the program mapped: one is known by the
 * stack pointer that it was left with. A word that leads into anonymous memory is one if a return address is
 * beside it, as calls and switches of contexts leave it. From there on to the end of the mapping all counts.
 */

/* Anonymous memory in which the stack of a coroutine was found. */
struct coroutine {
    uint64_t from;     /* the lowest word that looks like a stack pointer */
    uint64_t searched; /* all from here to the end was searched */
    uint64_t end;
};

enum { CODE_PAGES = 64, CODE_PAGE = 4096 };

struct coroutines {
    const struct capture_maps *maps;
    const struct stop *stop;
    const struct image *image;
    struct remote_memory *memory; /* for code, which the copy does not have */
    struct coroutine *list;
    size_t count, room;
    bool are_pending;
    uint64_t lowest, extent; /* nothing is mapped outside */
    struct span passed_over; /* the last mapping that a word led to and that can have none */
    struct code_page {
        uint64_t address; /* 0: none */
        bool is_there;
        unsigned char bytes[CODE_PAGE];
    } * code; /* pages that were looked at lately */
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
    uint32_t *pending;      /* blocks that are reached and not looked into */
    size_t pending_count;
    enum reached now; /* what is reached from now on is so */
};

void reaching_open(struct reaching *, const struct capture_roots *);
void reaching_close(struct reaching *);
void reaching_reach(struct reaching *, size_t block);

/* From what was reached so far. */
void reaching_go_on(struct reaching *);

/* From the roots. */
void reaching_from_roots(struct reaching *);

/* After these, and as the last one: reaches all blocks that other memory of the program's own mappings points
 * to (mapped.c). */
void mapped_search(struct reaching *, const struct heap *);

#endif
