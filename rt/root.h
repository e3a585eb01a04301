/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where the runtime keeps in memory what a profile is made of, for allocsite-dump, which reads it from there
 * when a process has no profile. The runtime does nothing for that but say where things are.
 *
 * The module that holds the runtime, the executable or liballocsite.so, has an ELF note with the name
 * "allocsite" and type ROOT_NOTE. Its data are 8 bytes: the signed distance from there to struct root. A
 * note, since it is loaded with the program and no strip removes it; a distance, since it needs no
 * relocation.
 *
 * What the parts point to are the runtime's own structures. Where in them things are, struct root_layout
 * says, so that readers need not change with them. */
#ifndef ALLOCSITE_ROOT_H
#define ALLOCSITE_ROOT_H

#include "profile.h"

#define ROOT_NOTE_NAME "allocsite"
#define ROOT_NOTE      2

/* Raised by every change of this file. */
#define ROOT_VERSION 7

/* Arrays that grow are as in profile.h, in so many chunks at most. */
#define ROOT_CHUNKS 22

/* Of the memory that is counted in. */
struct root_store {
    const void *areas; /* table of areas, by number */
    const uint32_t *area_count;
    struct profile_header *const *header; /* NULL there: nothing has been counted yet */
};

/* Of what names it. */
struct root_registry {
    const void *slots; /* table of what they are: of a stack its record, of others with parent 0 the number of
                          theirs; all zero: not used */
    const uint32_t *slot_count;
    const void *records; /* table of records, by number */
};

struct root_start {
    const void *options;
    const uint32_t *holes; /* 1 << enum hole; not those that a program looks for at its end */
    const int32_t *pid;    /* of the process that the runtime was started in; 0: it was not yet */
};

/* What is written from outside, as the functions of allocsite.h write it from inside: a thread whose capacity
 * is 0 goes the slow way at its next event, where it looks at the others and gets its capacity back. */
struct root_control {
    uint8_t *is_stopped;  /* bool: what comes is not counted */
    uint8_t *wants_reset; /* bool: whoever comes next starts all counters afresh */
    const void *threads;  /* table of threads; those that there are not yet have capacity 0 */
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

/* Offsets of members in bytes. */
struct root_layout {
    uint16_t table_element, table_first; /* uint32_t: size of an element, elements of chunk 0 */
    uint16_t table_chunks;               /* addresses, NULL: not there yet */
    uint16_t area_kind, area_index;      /* uint32_t, as those of struct profile_area; kind 0: no area */
    uint16_t area_first, area_size;      /* uint64_t, likewise */
    uint16_t area_address;
    uint16_t slot_parent, slot_stack; /* uint32_t, as those of struct profile_record; of others the number */
    uint16_t record_site, record_module; /* addresses: struct allocsite_site, NULL: unsited; module */
    uint16_t record_what, record_parent; /* uint32_t, as those of struct profile_record: the site of a part is
                                            that of its parent */
    uint16_t record_address;             /* uint64_t, likewise */
    uint16_t module_slot;                /* uint32_t */
    uint16_t module_path;                /* address */
    uint16_t module_build_id;            /* digits, up to 64, and a NUL */
    uint16_t option_enabled, option_pairs, option_sizes, option_lifetime; /* bool */
    uint16_t thread_capacity;                                             /* uint32_t */
    uint16_t rare; /* no offset: how many rare counters there are, as in struct profile_header */
};

enum root_flag {
    ROOT_IS_STATIC = 1, /* linked into an executable: blind to shared libraries */
};

struct root {
    uint32_t version;
    uint32_t flags;           /* enum root_flag */
    uint32_t profile_version; /* of what the areas hold */
    uint32_t format_version;  /* of the sites' descriptors */
    const struct root_store *store;
    const struct root_registry *registry;
    const struct root_start *start;
    const struct root_control *control;
    const struct root_heap *heap;
    struct root_layout layout;
};

#ifndef __cplusplus
_Static_assert(sizeof(void *) == 8, "addresses are read as 64 bits");
_Static_assert(sizeof(struct root) == 104, "read as it is");
#endif

#endif
