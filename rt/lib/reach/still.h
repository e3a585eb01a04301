/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Looking at the process while all its threads stand still: where a search for what is reached starts. */
#ifndef ALLOCSITE_LIB_REACH_STILL_H
#define ALLOCSITE_LIB_REACH_STILL_H

#include "cfi/cfi.h"
#include "lib/base/os.h"
#include "lib/base/slot.h"
#include "lib/heap/shadow.h"
#include "lib/who/modules.h"
#include "snapshot/snapshot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Stopping the other threads of the process from a second process that shares its memory, for the search
 * below. */

struct stopped_thread {
    int32_t id;
    int32_t signal; /* that was being delivered when it stopped; 0: none */
};

/* General and vector registers; words past those the kernel gave are zero. */
struct registers {
    uintptr_t sp, tp; /* stack and thread pointer; sp 0: the thread is gone */
    uintptr_t words[2048];
};

struct stop {
    int tasks; /* descriptor of /proc/self/task of the process */
    int32_t process;
    int32_t caller; /* thread that waits for the second process: left alone */
    struct stopped_thread *threads;
    uint32_t count;
    struct registers *registers; /* of each of them */
};

/* ---- The live blocks, by address, for the search below. */

struct live_block {
    uintptr_t start;
    uint64_t size;
    uint32_t slot : SLOT_BITS;
    uint32_t family : 2;
    uint32_t reached : 1;
    uint32_t possibly : 1; /* only from memory that the program mapped */
    uint32_t next;         /* index + 1 of the next one that is reached and not looked into; 0: last */
};

struct still;

struct blocks {
    struct live_block *all; /* in ascending order of addresses */
    uint32_t count;
    uint32_t pending;   /* head of the list through next */
    uintptr_t *samples; /* start of every 16th block: few enough to stay in a cache */
    uint32_t sample_count;
    uintptr_t lowest, extent; /* no block is or ends outside */
    size_t mapped;
    struct coroutine *coroutines; /* NULL: they are not looked for */
    uint32_t coroutine_count;
    bool coroutines_pending;
    struct span passed_over;   /* the last mapping that a word led to and that can have none */
    const struct still *still; /* with coroutines: what is looked at */
    bool possibly; /* what is reached from now on is so only from memory that the program mapped */
    bool heads;    /* what is being searched holds glibc's pointers to the heads of free blocks */
};

/* Anonymous memory in which the stack of a coroutine was found. */
struct coroutine {
    uintptr_t from;     /* the lowest word that looks like a stack pointer */
    uintptr_t searched; /* all from here to the end was searched */
    uintptr_t end;
};

enum { COROUTINES_MOST = 1 << 14 };

/* Takes over what is live. Nobody may allocate meanwhile. NULL, or why not. */
const char *blocks_collect(struct blocks *);

/* The block that a pointer of this value reaches; NULL: none. */
struct live_block *blocks_find(const struct blocks *, uintptr_t pointer);

/* Index of the first block that ends behind address; count: none. */
uint32_t blocks_behind(const struct blocks *, uintptr_t address);

/* The stacks of coroutines that are suspended, on memory that the program mapped: one is known by the stack
 * pointer that it was left with. A word that leads into anonymous memory is one if a return address is beside
 * it, as calls and switches of contexts leave it. From there on to the end of the mapping all counts. False:
 * no memory. */
bool coroutines_begin(struct blocks *, const struct still *);
void coroutines_release(struct blocks *);
void coroutines_see(struct blocks *, const struct maps *, uintptr_t word);

/* Told of a word that leads to a block, and of where the word is. */
typedef void blocks_found(void *context, struct live_block *, uintptr_t word, uintptr_t at);

/* Tells of all aligned words of the span that can be read. */
void blocks_search(struct blocks *, const struct maps *, struct span, blocks_found *, void *context);

/* The same of words that lie in no block. */
void blocks_search_between(struct blocks *, const struct maps *, struct span, blocks_found *, void *context);

/* The block is not lost, and neither is what it points to. */
void blocks_reach(struct blocks *, struct live_block *);

/* ---- Where a search for what is reached starts. */

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
    struct span own;              /* the runtime's; empty: it is linked statically */
    size_t heap_first, heap_last; /* of these, the C library's: its heap is administered there */
    struct span *tls; /* the calling thread's memory of each module that has thread-local variables */
    size_t tls_count;
    size_t mapped;
};

/* To be called while the dynamic loader's list of modules stands still: within dl_iterate_phdr. */
bool modules_data_read(struct modules_data *);
void modules_data_release(struct modules_data *);

/* A thread, and where its stack begins. */
struct caller {
    uintptr_t sp, tp;
    bool is_first; /* the process's first thread */
};

/* A word that leads from a root to a block. */
struct reach_root {
    enum graph_root_kind kind;
    int32_t thread; /* 0: not of one */
    uintptr_t at;   /* of data and stacks: where the word is; else 0 */
    uintptr_t word;
};

struct roots {
    const struct maps *maps;
    const struct modules_data *modules;
    const struct stop *stop;
    struct caller caller;       /* the thread that asks, ... */
    const uintptr_t *registers; /* ... with those of its registers that calls preserve, as for struct still */
    const struct module *loader; /* what the dynamic loader allocates is in use; NULL: there is none */
    struct blocks *blocks;
    void (*found)(void *context, struct live_block *, const struct reach_root *);
    void *context;
};

/* Where a thread's stack is searched from. */
uintptr_t roots_stack_begin(const struct roots *, struct caller thread, int32_t id);

/* The thread's static thread-local memory and its descriptor. */
struct span roots_thread_memory(const struct roots *, struct caller thread);

/* Tells of all blocks that the roots point to, and of all words that do. */
void roots_search(const struct roots *);

/* The same of stacks of coroutines that were found since, by roots or in blocks. False: there are none. */
bool roots_search_coroutines(const struct roots *);

/* After these, and as the last one, for it ends the search for stacks of coroutines: reaches all blocks that
 * other memory of the program's own mappings points to. False: no memory. */
bool mapped_search(const struct roots *);

/* ---- Looking at the process while all its threads stand still.
 *
 * ptrace stops only threads of another process. So a second one is started that shares this one's memory, as
 * vfork does, but has a stack of its own; the caller waits in the kernel until it is done. It stops the other
 * threads, looks, and lets them run on. If it meets memory that cannot be read against expectation, it ends
 * and the program does not. */

struct still {
    struct modules_data modules;
    struct stop stop;
    struct caller caller;
    uintptr_t registers[CFI_REGISTERS]; /* the caller's, where the program called the runtime, or exit */
    const struct module *loader;
    uint64_t begun; /* by os_monotonic */
    const char *(*look)(struct still *);
    void *context;
    const char *reason; /* why there is no answer; NULL: there is one */
};

/* Has look called in the second process, with context in the struct. NULL, or what it returned, or why it was
 * not called: the string lives as long as the process. All of still but memory of look's own is given back.
 * The roots on the caller's stack begin at the program's frame that called the runtime: neither the runtime's
 * frames nor what stands below them count.
 * Not for signal handlers but on a stack of their own, and while no lock of the dynamic loader is held. */
const char *still_look(struct still *, const char *(*look)(struct still *), void *context);

/* To be called by a handler of exit(3) or quick_exit(3) that the C library calls, with its
 * __builtin_frame_address(0): what the C library has on the stack between the two is no root, and neither is
 * what a main that has returned left there. */
void still_note_exit(const void *frame);

/* What of the roots does not hang on what look finds itself. */
struct roots still_roots(const struct still *);

/* ---- Lost blocks: live ones that nothing in the process points to any more. A conservative search, with the
 * rules of LeakSanitizer: an aligned word whose value lies in a block reaches it, at its start or inside.
 *
 * The search starts at the writable data of all modules, and at the stack, the registers and the thread-local
 * memory of all threads, and goes on through the blocks that it reaches. Stacks of
 * coroutines are found by what leads to them. The runtime's own memory does not count. Blocks of the dynamic
 * loader (dynamic thread-local memory) and those of the runtime are in use. Possibly lost are blocks that
 * only other memory leads to which the program mapped itself: stacks that were not found, arenas, shared
 * memory. Called lost, though the program has a way to them: blocks known only to the kernel (epoll), to a
 * pointer that is stored in disguise, or as what a thread returned that was never joined. */

typedef void reach_found(void *context, const void *p, const struct block *, bool possibly);

/* Calls lost for each lost block, and each that is possibly, in ascending order of addresses. NULL, or why
 * nothing can be told: then lost was not called, and the string lives as long as the process. There is no
 * answer where it could be wrong: with several threads where ptrace is forbidden, or where not all blocks are
 * known, for one that is not could hold the only pointer to one that is. So it is to be called when all holes
 * have been looked for.
 *
 * Other threads stand still meanwhile; one that waits in epoll_wait, or in another call that stopping a
 * process interrupts too (signal(7)), may see EINTR. Needs 25 bytes for each live block, and
 * 16 KiB for each thread. Not for signal handlers. */
const char *reach_find_lost(reach_found *lost, void *context);

/* The same whatever holes there are. */
const char *reach_search(reach_found *lost, void *context);

/* The bytes of the block that the pointer leads to and of all blocks that these lead to, each once; 0: it
 * leads to none. Chunks that custom allocators hand out in parts are looked through, and count nothing. NULL,
 * or why that cannot be told. As above, for all live blocks are looked for. */
const char *reach_deep_size(const void *from, uint64_t *bytes);

#endif
