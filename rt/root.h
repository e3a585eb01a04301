/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where allocsite-dump finds the runtime in the memory of a process: to say why there is no file with its
 * counters (profile.h), and for the graph of its heap. The runtime does nothing for that but say where things
 * are.
 *
 * The module that holds the runtime, the executable or liballocsite.so, has an ELF note with the name
 * "allocsite" and type ROOT_NOTE. Its data are 8 bytes: the signed distance from there to struct root. A
 * note, since it is loaded with the program and no strip removes it; a distance, since it needs no
 * relocation. */
#ifndef ALLOCSITE_ROOT_H
#define ALLOCSITE_ROOT_H

#include "profile.h"

#define ROOT_NOTE_NAME "allocsite"
#define ROOT_NOTE      2

/* Raised by every change of this file. */
#define ROOT_VERSION 11

/* Where the counters are. */
enum root_state {
    ROOT_NOT_STARTED,
    ROOT_IS_OFF,     /* by the options */
    ROOT_IS_PRIVATE, /* in memory of the process */
    ROOT_HAS_FILE,   /* in a file that it has mapped */
};

/* Of the table of blocks (lib/heap/shadow.h has what an entry means). */
struct root_heap {
    const void *small, *large, *second; /* addresses of pointers to the tables; the last may be NULL there */
    const uintptr_t *end;               /* of the addresses that they cover; 0: there are none */
    const void *even, *odd;             /* addresses of pointers to arrays of regions, NULL: there are none */
    const intptr_t *local; /* how far the runtime's thread-local memory lies from the thread pointer */
    uint64_t region_size;  /* addresses that a region has tables for */
    uint64_t addresses;    /* that arrays of regions cover */
    uint32_t cell;         /* bytes of heap that have an entry of 4 bytes */
    uint32_t local_size;
    uint8_t size_bits, slot_bits; /* of an entry, below its two bits of family and one for what is freed */
    uint8_t backing;              /* the family that has that bit while it lives */
};

/* A list of memory: an array of so many entries, each of which starts with two words, begin and end. Where
 * begin is less than a page the entry is free. */
struct root_own {
    const void *entries; /* address of a pointer to them; NULL there: none so far */
    const uint32_t *count;
    uint32_t most; /* what count may have beyond that does not count */
    uint32_t entry_size;
};

enum root_flag {
    ROOT_IS_STATIC = 1, /* linked into an executable: blind to shared libraries */
};

struct root {
    uint32_t version;
    uint32_t flags;        /* enum root_flag */
    const uint32_t *state; /* enum root_state */
    const uint32_t *areas; /* of counters, so far: of several runtimes the one with the most counts most */
    const struct root_heap *heap;
    const struct root_own *own;        /* memory that the runtime has mapped for itself */
    const struct root_own *registered; /* roots by allocsite_register_root */
    const void *malloc;                /* address of a pointer to the allocator's, which the runtime calls */
};

/* A thread that waits while allocsite-dump, which it has started, looks at the memory of the process. */
struct root_caller {
    const struct root *root; /* of the runtime that asks */
    uint64_t thread;         /* its number */
    uint64_t thread_pointer;
    uint64_t registers[17]; /* by their DWARF numbers (cfi/cfi.h), where the program called the runtime: those
                               that calls preserve, the stack pointer, and an address within the call */
};

/* What allocsite-dump answers to a search for lost blocks: of a slot. */
struct root_lost {
    uint64_t slot;
    uint64_t blocks, bytes;
    uint64_t possibly_blocks, possibly_bytes;
};

#ifndef __cplusplus
_Static_assert(sizeof(void *) == 8, "addresses are read as 64 bits");
_Static_assert(sizeof(struct root) == 56, "read as it is");
#endif

#endif
