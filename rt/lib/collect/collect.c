/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the accuracy gaps that only a check reveals. */
#define _GNU_SOURCE
#include "lib/collect/collect.h"

#include "base/elf_note.h"
#include "lib/acct/acct.h"
#include "lib/base/os.h"
#include "lib/base/state.h"
#include "lib/base/table.h"
#include "lib/collect/profiling.h"
#include "lib/count/pairs.h"
#include "lib/count/peak.h"
#include "lib/count/sums.h"
#include "lib/count/threads.h"
#include "lib/heap/shadow.h"
#include "lib/heap/underlying.h"
#include "lib/paths/stacks.h"
#include "lib/registry/modules.h"
#include "lib/registry/registry.h"
#include "lib/store/store.h"
#include "root.h"

#include <limits.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

/* ---- Other copies of the runtime in the process. A copy in the executable and one in a library share no
 * symbols, so they find each other by an ELF note. */

#define STRING(number)    STRING_OF(number)
#define STRING_OF(number) #number

struct note {
    ElfW(Nhdr) header;
    char name[12]; /* NUL-terminated and padded to a multiple of 4 */
    uint32_t version;
};

static const struct note runtime_note __attribute__((section(".note.allocsite"), used, aligned(4))) = {
    .header = {.n_namesz = sizeof "allocsite", .n_descsz = sizeof(uint32_t), .n_type = 1},
    .name = "allocsite",
    .version = ALLOCSITE_FORMAT_VERSION,
};

/* The note of rt/root.h. In assembly, because a C initializer cannot be the distance between two symbols. */
__asm__(".pushsection .note.allocsite, \"a\", @note\n\t"
        ".balign 4\n\t"
        ".long 2f - 1f, 4f - 3f, " STRING(ROOT_NOTE) "\n"
                                                     "1:\t.asciz \"" ROOT_NOTE_NAME "\"\n"
                                                     "2:\t.balign 4\n"
                                                     "3:\t.quad allocsite_root - 3b\n"
                                                     "4:\t.popsection");

static bool is_other_runtime(void *unused, const struct elf_note *note) {
    (void)unused;
    return note->name_size == runtime_note.header.n_namesz && note->type == runtime_note.header.n_type &&
           memcmp(note->name, runtime_note.name, note->name_size) == 0 &&
           note->start != (const char *)&runtime_note;
}

static int visit_notes(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        const char *at = (const char *)(object->dlpi_addr + segment->p_vaddr);
        if (segment->p_type == PT_NOTE &&
            elf_notes_find(at, segment->p_filesz, segment->p_align, is_other_runtime, unused))
            return 1;
    }
    return 0;
}

/* Returns whether another copy of the runtime is loaded. Takes the dynamic loader's lock. */
static bool copies_exist(void) {
    return dl_iterate_phdr(visit_notes, NULL);
}

#ifdef ALLOCSITE_STATIC

/* The vDSO is not a library; its name has no slash. */
static int visit_library(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size;
    (void)unused;
    return object->dlpi_name && strchr(object->dlpi_name, '/') != NULL;
}

/* Returns whether there are shared libraries, whose calls are not seen. Takes the loader's lock. */
static bool copies_have_libraries(void) {
    return dl_iterate_phdr(visit_library, NULL);
}

#endif

/* ---- An allocator whose symbols come before the runtime's. */

#ifndef ALLOCSITE_STATIC

/* Sanitizers bring their own malloc and are the usual reason that another one comes before ours. They are
 * found by weak references: dlsym allocates, and the caller may be in a signal handler. */
#define SANITIZERS(X)                                                                                        \
    X(__asan_init, "AddressSanitizer")                                                                       \
    X(__hwasan_init, "HWAddressSanitizer")                                                                   \
    X(__tsan_init, "ThreadSanitizer")                                                                        \
    X(__msan_init, "MemorySanitizer")                                                                        \
    X(__lsan_init, "standalone LeakSanitizer")

#define DECLARE_MARK(symbol, name) extern const char mark##symbol[] __asm__(#symbol) __attribute__((weak));
SANITIZERS(DECLARE_MARK)

static const char *sanitizer(void) {
#define NAME_IF_THERE(symbol, name)                                                                          \
    if (mark##symbol)                                                                                        \
        return name;
    SANITIZERS(NAME_IF_THERE)
    return NULL;
}

static const char *other_malloc(void) {
    if (gap_is_set(GAP_PAST) && underlying_object())
        return underlying_object()->l_name;
    const char *name = gap_is_set(GAP_INTERPOSITION) ? sanitizer() : NULL;
    return name || !gap_is_set(GAP_INTERPOSITION) ? name : underlying_interposer();
}

#else

static const char *other_malloc(void) {
    return NULL;
}

#endif

void collect_look(void) {
    if (copies_exist())
        gap_set(GAP_SECOND_RUNTIME);
#ifdef ALLOCSITE_STATIC
    if (copies_have_libraries()) {
        gap_set(GAP_LIBRARIES);
        gap_set(GAP_FREES);
    }
#endif
}

void collect_gaps(struct profile_header *header) {
    if (os_fork_failed())
        gap_set(GAP_FORK);
    if (!os_loader_may_block())
        collect_look();
    header->gaps |= gaps_all();
    if (gap_is_set(GAP_INTERPOSITION) || gap_is_set(GAP_PAST))
        header->other_malloc = names_text(other_malloc());
}

/* A peak that contradicts the sums means that an event was counted only in part. Live bytes can also exceed
 * the peak while another thread allocates, so all others must be quiet. */
static void peak_check(void) {
    uint64_t live = 0, peak = 0;
    bool is_odd = false;
    for (uint32_t slot = 1; slot < record_count(); slot++) {
        struct sum sum;
        struct counters counters;
        if (!record_at(slot) || !slot_is_in_totals(slot))
            continue;
        sum_slot(slot, &sum);
        sum_counters(&counters, &sum);
        live += counters.live_bytes;
        peak += counters.peak_bytes;
        is_odd |= sum.peak_bytes < 0 || sum.peak_blocks < 0;
    }
    if ((is_odd || live > peak + peak_within()) && runtime_owners && threads_are_quiet())
        gap_set(GAP_TORN);
}

void collect_end(struct profile_header *header) {
    sums_know_inherited();
    peak_check();
    collect_gaps(header);
    header->walks = stacks_walks();
}
