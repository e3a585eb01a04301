/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lets allocsite-dump find the runtime in the memory of a process, to read the graph of its heap, and to say
 * why no file has its counters (profile.h). The runtime only publishes addresses for this.
 *
 * The module that contains the runtime, the executable or liballocsite.so, has an ELF note with the name
 * "allocsite" and type ROOT_NOTE. Its data are 8 bytes: the signed distance from the data to struct root. A
 * note is loaded with the program and survives strip. A distance needs no relocation. */
#ifndef ALLOCSITE_ROOT_H
#define ALLOCSITE_ROOT_H

#include "profile.h"

#define ROOT_NOTE_NAME "allocsite"
#define ROOT_NOTE      2

/* Increase it with every change of the structures below. */
#define ROOT_VERSION 13

/* The memory that contains the counters. */
enum root_state {
    ROOT_NOT_STARTED,
    ROOT_IS_OFF,     /* disabled by the options */
    ROOT_IS_PRIVATE, /* private memory of the process */
    ROOT_HAS_FILE,   /* a file that the process has mapped */
};

/* The block table (lib/heap/shadow.h defines its entries). */
struct root_heap {
    const void *small, *large, *second; /* addresses of pointers to the tables; *second may be NULL */
    const uintptr_t *end;               /* end of the addresses that the tables cover; *end 0: no tables */
    const void *even, *odd;             /* addresses of pointers to arrays of regions, which may be NULL */
    const intptr_t *local; /* offset of the runtime's thread-local memory from the thread pointer */
    uint64_t region_size;  /* addresses that the tables of a region cover */
    uint64_t addresses;    /* addresses that an array of regions covers */
    uint32_t cell;         /* bytes of heap for each entry of 4 bytes */
    uint32_t local_size;
    uint8_t size_bits, slot_bits; /* an entry has the size in its lowest bits, then the slot, two bits of
                                     family, the freed bit */
    uint8_t chunk;                /* the family whose live blocks have the freed bit set */
};

/* A list of address ranges: an array of entries, each of which starts with two words, begin and end. An entry
 * is free if begin is less than a page. */
struct root_list {
    const void *entries; /* address of a pointer to the array; the pointer is NULL while there are none */
    const uint32_t *count;
    uint32_t most; /* the capacity; *count may exceed it */
    uint32_t entry_size;
};

enum root_flag {
    ROOT_IS_STATIC = 1, /* linked into an executable: does not see allocations of shared libraries */
};

/* A process that was started without the runtime, into which allocsite-run has loaded it. */
enum root_attachment {
    ROOT_NOT_LATE, /* the runtime was started with the process, or by a module that calls it */
    ROOT_WAITS,    /* the runtime was opened by dlopen, and no module calls it */
    ROOT_ATTACHED, /* the process is counted */
    ROOT_LEFT,     /* it was counted */
};

struct root {
    uint32_t version;
    uint32_t flags;        /* enum root_flag */
    const uint32_t *state; /* enum root_state */
    const uint32_t *areas; /* number of counter areas so far: of several runtimes in a process, the one with
                              the most areas is read */
    const struct root_heap *heap;
    const struct root_list *runtime_spans; /* memory that the runtime has mapped for its own use */
    const struct root_list *registered;    /* roots added by allocsite_register_root */
    const struct root_list *mappings; /* memory that the program mapped, with maps=1 (lib/heap/mappings.h) */
    const void *malloc;       /* address of the runtime's pointer to the underlying allocator's malloc */
    const uint32_t *attached; /* enum root_attachment */
    const void *attach, *detach, *leave; /* functions that allocsite-run calls in a process that was started
                                            without the runtime (lib/run/attach.c); NULL in a static one */
};

/* A thread that has started allocsite-dump and waits until it has read the memory of the process. */
struct root_caller {
    const struct root *root; /* of the calling runtime */
    uint64_t thread;         /* its id */
    uint64_t thread_pointer;
    uint64_t registers[17]; /* by DWARF number (cfi/cfi.h), at the program's call of the runtime: the
                               registers that calls preserve, the stack pointer, and an address within the
                               call instruction */
};

/* The result of a search for leaked blocks for one slot, which allocsite-dump returns to the runtime. */
struct root_leaked {
    uint64_t slot;
    uint64_t blocks, bytes;
    uint64_t possibly_blocks, possibly_bytes;
};

#ifndef __cplusplus
_Static_assert(sizeof(void *) == 8, "addresses are read as 64 bits");
_Static_assert(sizeof(struct root) == 96, "read as it is");
#endif

#endif
