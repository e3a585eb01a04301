/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The memory that the runtime counts in: areas of one file, which is the profile or a memfd. The file alone
 * has all counts, names and paths of the process, even after the process was killed.
 *
 * An area is mapped as anonymous memory first. Once there is a file, a range of the file replaces that memory
 * at the same address, so pointers into it stay valid. An area that does not get into the file (the disk is
 * full, the program closed the descriptor of a memfd) stays anonymous memory and the file's header counts it
 * as missing; store_copy still writes it.
 *
 * Disk space is allocated before it is mapped: a write to a page that the disk has no space for would raise
 * SIGBUS in the program.
 *
 * Fork. A child must not count in its parent's file. store_leave replaces the mappings of counters by memory
 * that the kernel wipes on fork, and store_enter then gives the child a separate file. Names and records
 * never change once written, so the child reads its parent's until it copies the part that existed when it
 * was forked.
 *
 * Lock-free and safe in signal handlers, except for store_enter and store_leave, during which no other thread
 * may run. */
#ifndef ALLOCSITE_LIB_STORE_STORE_H
#define ALLOCSITE_LIB_STORE_STORE_H

#include "lib/base/slot.h"
#include "profile.h"

#include <stdbool.h>
#include <stddef.h>

/* NULL: not made yet. */
extern struct profile_header *store_header_made __attribute__((visibility("hidden")));
struct profile_header *store_header_make(void);

/* Never NULL. Wiped by fork. Inline, because a growing heap reads the peak in it at every event. */
static inline struct profile_header *store_header(void) {
    struct profile_header *made = __atomic_load_n(&store_header_made, __ATOMIC_ACQUIRE);
    return __builtin_expect(made != NULL, 1) ? made : store_header_make();
}

/* Makes the memory at an address, a multiple of PROFILE_PAGE, an area; it must not have been written yet.
 * Returns the number for store_drop, which undoes this. Keeps errno. */
uint32_t store_add(enum profile_kind, uint32_t index, uint64_t first, void *address, size_t size);
void store_drop(uint32_t area);

/* store_add and store_drop, for tables whose chunks are areas. */
extern const struct table_areas store_areas __attribute__((visibility("hidden")));

/* Drops all areas of a slab. */
void store_drop_slab(uint32_t number);

/* Moves all areas into an empty file that is open for reading and writing, and takes over its descriptor.
 * path: of the file, so that it can be opened again if the program closes the descriptor; NULL: a memfd.
 * child_records: in a forked child that has left its parent's file, the number of records at the fork; its
 * slabs then start from zero. Otherwise 0. Returns 0 or an errno; on failure the memory is unchanged, and
 * there is no file, not even a previous one. */
int store_enter(int fd, const char *path, uint32_t child_records);

/* Takes a forked child out of its parent's file. Names and records are still the parent's, and read-only,
 * until store_enter or store_detach. */
void store_leave(void);

/* For a forked child that gets no file: copies the names and records. */
void store_detach(uint32_t child_records);

/* Returns the descriptor of the file, which stays owned by the store; -1 with errno if there is no file, or
 * if the program closed the descriptor and the file cannot be opened again. */
int store_descriptor(void);

/* Returns whether this process has a file. */
bool store_is_file(void);

/* Returns the path of the file; NULL if it has none. */
const char *store_path(void);

/* Reports on stderr if the file was removed. */
void store_look_for_file(void);

/* Writes all areas, in their current state, as a profile with that header. Returns 0 or an errno. */
int store_copy(int fd, const struct profile_header *);

/* ---- The list of areas, for copying them. */

struct store_area {
    uint32_t kind, index;
    uint64_t first;
    char *address;
    size_t size;
    bool is_mapped;             /* mapped from the file */
    struct profile_area *entry; /* in the directory of the file; NULL: none */
};

/* The number of areas ever added; store_area_count returns it. */
extern uint32_t store_areas_given __attribute__((visibility("hidden")));
uint32_t store_area_count(void);

/* Returns the area; NULL if it is not complete yet or was dropped. */
const struct store_area *store_area(uint32_t number);

/* ---- Facts about a slot that are not in its tallies. */

/* Returns NULL if memory is out. */
struct profile_slot *slot_at(uint32_t slot);

/* Returns a structure of zeros if nothing is known. */
const struct profile_slot *slot_known(uint32_t slot);

/* The number of slots that every slab has address space for; smaller if the address space is limited. One
 * page of tallies less than an entry of the shadow table could name, so that SLOT_OURS exceeds every
 * capacity. */
#define SLOTS_MOST ((1u << SLOT_BITS) - PROFILE_PAGE / (uint32_t)sizeof(struct tally))
uint32_t slots_most(void);
void slots_limit(uint32_t fewer);

/* ---- The names of a profile: each string, each inlined call and each step of a stack is stored once.
 *
 * Lock-free and safe in signal handlers. Two threads may store the same name twice. */

/* Returns the bytes of all names, including unused ones at the ends of chunks. */
uint64_t names_size(void);

/* Return 0 for NULL, or if memory is out. */
profile_name names_text(const char *);
profile_name names_frame(const struct profile_frame *);

/* Returns NULL for name 0. */
const struct profile_frame *names_frame_at(profile_name);

/* Store and find return addresses, indexed like strings because there are few. 0: memory is out. */
profile_name names_return(const struct profile_return *);
const struct profile_return *names_return_at(profile_name);

/* Returns the name of a step, and stores the step if may_add. Steps have an index of their own, because there
 * may be many. *is_new on entry: its caller is new, so the step cannot exist; on return: the step is new.
 * Returns 0 if there is no room, or if the step does not exist and may_add is false. */
profile_name names_step(const struct profile_step *, bool may_add, bool *is_new);

/* Returns whether there is room for a step of a whole path. */
bool names_have_step(void);

/* Returns NULL for name 0. */
const struct profile_step *names_step_at(profile_name);

#endif
