/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The memory that is counted in, as areas of a profile: of a file if one is wanted, else only of the list of
 * what would go there.
 *
 * An area is mapped without a file first. As long as there is a profile, its file takes the place of that
 * memory at the same address, so that nothing that points there notices. An area that cannot get into the
 * file stays memory, and the file's header says that it is missing: the program and its report go on.
 *
 * File space is allocated before it is mapped, for a write to a page that the disk has no room for would be a
 * SIGBUS of the program.
 *
 * Names and records are written once and read by the runtime itself, also in a child. So their file is only
 * told what is written to memory, and a child finds what its parent had when it was forked.
 *
 * Fork. A child must not count in its parent's file. Memory that the kernel would have wiped, had it not been
 * a file, is replaced by empty memory (store_leave) before the child counts; a file of its own then takes its
 * place.
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

/* These two and store_tell, for tables whose chunks are areas. */
extern const struct table_areas store_areas __attribute__((visibility("hidden")));

/* Drops what there is of a slab. */
void store_drop_slab(uint32_t number);

/* Bytes that were written to the memory of an area of names or records, at an offset. */
void store_tell(enum profile_kind, uint32_t index, size_t offset, const void *bytes, size_t size);

/* All areas become those of the file, which is empty and open for reading and writing; the descriptor is the
 * store's then. path: of the file, in case that the program closes its descriptor. is_child: of a process
 * that has left its parent's file; its slabs start afresh. 0 or an errno, with which nothing was changed. */
int store_enter(int fd, const char *path, bool is_child);

/* Of a forked child: out of its parent's file. */
void store_leave(void);

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

/* Numbers given so far. */
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

/* 0 for NULL, or if there is no memory. */
profile_name names_text(const char *);
profile_name names_frame(const struct profile_frame *);

/* NULL: there is none of that name. */
const char *names_text_at(profile_name);
const struct profile_frame *names_frame_at(profile_name);

/* Each once, found again as strings are, for there are not many. 0: there is no memory. */
profile_name names_return(const struct profile_return *);
const struct profile_return *names_return_at(profile_name);

/* Steps are found again by an index of their own, for there may be many. 0: there is no room for more, or it
 * is not there and may not be added. is_new: whether its caller has just been added, with which nothing can
 * be there; then whether the step has been. */
profile_name names_step(const struct profile_step *, bool may_add, bool *is_new);

/* NULL: there is none of that name. */
const struct profile_step *names_step_at(profile_name);

#endif
