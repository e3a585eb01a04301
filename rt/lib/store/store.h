/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The memory that the runtime counts in: areas of one file, which is the profile or else a memfd. Whoever has
 * the file has all counts, names and paths of the process, also after it was killed.
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
 * that the kernel wipes on fork, and store_enter then gives the child a file of its own. Names and records
 * never change once written, so the child keeps reading the parent's until it copies what was there when it
 * was forked.
 *
 * Lock-free and safe in signal handlers but for store_enter and store_leave, which no other thread may see.
 */
#ifndef ALLOCSITE_LIB_STORE_STORE_H
#define ALLOCSITE_LIB_STORE_STORE_H

#include "lib/base/slot.h"
#include "profile.h"

#include <stdbool.h>
#include <stddef.h>

/* NULL: not made yet. */
extern struct profile_header *store_header_made __attribute__((visibility("hidden")));
struct profile_header *store_header_make(void);

/* Never NULL. Wiped by fork. Inline, because growing heaps look at the peak in there at every event. */
static inline struct profile_header *store_header(void) {
    struct profile_header *made = __atomic_load_n(&store_header_made, __ATOMIC_ACQUIRE);
    return __builtin_expect(made != NULL, 1) ? made : store_header_make();
}

/* Memory at an address, a multiple of PROFILE_PAGE, becomes an area; nothing may have been written there.
 * Returns what store_drop needs to take that back. Keeps errno. */
uint32_t store_add(enum profile_kind, uint32_t index, uint64_t first, void *address, size_t size);
void store_drop(uint32_t area);

/* These two, for tables whose chunks are areas. */
extern const struct table_areas store_areas __attribute__((visibility("hidden")));

/* Drops what there is of a slab. */
void store_drop_slab(uint32_t number);

/* Moves all areas into an empty file that is open for reading and writing, and takes over its descriptor.
 * path: of the file, to open it again if the program closes the descriptor; NULL: a memfd. child_records: in
 * a forked child that has left its parent's file the number of records at the fork, and its slabs start
 * afresh; else 0. Returns 0 or an errno, with which the memory stays as it is and there is no file, not even
 * one that there was before. */
int store_enter(int fd, const char *path, uint32_t child_records);

/* In a forked child: out of its parent's file. Names and records are still the parent's then, to be read
 * only, until store_enter or store_detach. */
void store_leave(void);

/* In a forked child that gets no file: copies the names and records. */
void store_detach(uint32_t child_records);

/* The descriptor of the file, which stays the store's; -1 with errno: there is none, or the program closed it
 * and it cannot be opened again. */
int store_descriptor(void);

/* Whether there is a file, of this process. */
bool store_is_file(void);

/* Its path; NULL: there is none. */
const char *store_path(void);

/* Says so if the file was removed. */
void store_look_for_file(void);

/* Writes all areas, as they are now, as a profile with that header. 0 or errno. */
int store_copy(int fd, const struct profile_header *);

/* ---- The list of areas, for who copies them. */

struct store_area {
    uint32_t kind, index;
    uint64_t first;
    char *address;
    size_t size;
    bool is_mapped;             /* from the file */
    struct profile_area *entry; /* in the directory of the file; NULL: not there */
};

/* Numbers given so far, which the function returns. */
extern uint32_t store_areas_given __attribute__((visibility("hidden")));
uint32_t store_area_count(void);

/* NULL: none of that number (yet, or any more). */
const struct store_area *store_area(uint32_t number);

/* ---- Facts about a slot beside what its threads counted. */

/* NULL: no memory. */
struct profile_slot *slot_at(uint32_t slot);

/* All zero if nothing is known. */
const struct profile_slot *slot_known(uint32_t slot);

/* How many slots every slab has address space for: all there can be, or fewer where that is limited. A page
 * of tallies less than entries of the shadow table could name, or SLOT_OURS would be within a capacity. */
#define SLOTS_MOST ((1u << SLOT_BITS) - PROFILE_PAGE / (uint32_t)sizeof(struct tally))
uint32_t slots_most(void);
void slots_limit(uint32_t fewer);

/* ---- The names of a profile: each string, each inlined call and each step of a stack once.
 *
 * Lock-free and safe in signal handlers. Two threads that come at once may make a name twice. */

/* Bytes of all names, with unused ones at the ends of chunks. */
uint64_t names_size(void);

/* 0 for NULL, or if there is no memory. */
profile_name names_text(const char *);
profile_name names_frame(const struct profile_frame *);

/* NULL: there is none of that name. */
const struct profile_frame *names_frame_at(profile_name);

/* Each once, found again as strings are, for there are not many. 0: there is no memory. */
profile_name names_return(const struct profile_return *);
const struct profile_return *names_return_at(profile_name);

/* Steps are found again by an index of their own, for there may be many. 0: there is no room for more, or it
 * is not there and may not be added. is_new: whether its caller has just been added, with which nothing can
 * be there; then whether the step has been. */
profile_name names_step(const struct profile_step *, bool may_add, bool *is_new);

/* Whether there is room for a step of a whole path. */
bool names_have_step(void);

/* NULL: there is none of that name. */
const struct profile_step *names_step_at(profile_name);

#endif
