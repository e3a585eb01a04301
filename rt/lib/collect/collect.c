/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report from the slabs. */
#define _GNU_SOURCE
#include "lib/collect/collect.h"

#include "base/elf_note.h"
#include "lib/base/os.h"
#include "lib/base/state.h"
#include "lib/base/table.h"
#include "lib/bill/stacks.h"
#include "lib/collect/profiling.h"
#include "lib/collect/rows.h"
#include "lib/count/pairs.h"
#include "lib/count/peak.h"
#include "lib/count/sums.h"
#include "lib/count/threads.h"
#include "lib/heap/next.h"
#include "lib/heap/shadow.h"
#include "lib/own/own.h"
#include "lib/reach/still.h"
#include "lib/store/store.h"
#include "lib/who/modules.h"
#include "lib/who/registry.h"
#include "root.h"

#include <limits.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

/* ---- Other copies of the runtime in the process. Each carries an ELF note, which one finds in the other: a
 * copy in the executable and one in a library share no symbol that the two would agree on. */

#define STRING(number)    STRING_OF(number)
#define STRING_OF(number) #number

struct note {
    ElfW(Nhdr) header;
    char name[12]; /* NUL-terminated and padded to a multiple of 4 */
    uint32_t version;
};

static const struct note own_note __attribute__((section(".note.allocsite"), used, aligned(4))) = {
    .header = {.n_namesz = sizeof "allocsite", .n_descsz = sizeof(uint32_t), .n_type = 1},
    .name = "allocsite",
    .version = ALLOCSITE_FORMAT_VERSION,
};

/* The note of rt/root.h. In assembly, for in C no initializer is a distance. */
__asm__(".pushsection .note.allocsite, \"a\", @note\n\t"
        ".balign 4\n\t"
        ".long 2f - 1f, 4f - 3f, " STRING(ROOT_NOTE) "\n"
                                                     "1:\t.asciz \"" ROOT_NOTE_NAME "\"\n"
                                                     "2:\t.balign 4\n"
                                                     "3:\t.quad allocsite_root - 3b\n"
                                                     "4:\t.popsection");

static bool marks_another(void *unused, const struct elf_note *note) {
    (void)unused;
    return note->name_size == own_note.header.n_namesz && note->type == own_note.header.n_type &&
           memcmp(note->name, own_note.name, note->name_size) == 0 && note->start != (const char *)&own_note;
}

static int visit_notes(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        const char *at = (const char *)(object->dlpi_addr + segment->p_vaddr);
        if (segment->p_type == PT_NOTE &&
            elf_notes_find(at, segment->p_filesz, segment->p_align, marks_another, unused))
            return 1;
    }
    return 0;
}

/* Whether another copy of the runtime is loaded. Takes the dynamic loader's lock. */
static bool copies_exist(void) {
    return dl_iterate_phdr(visit_notes, NULL);
}

#ifdef ALLOCSITE_STATIC

/* The kernel's own object has a name without a slash. */
static int visit_library(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size;
    (void)unused;
    return object->dlpi_name && strchr(object->dlpi_name, '/') != NULL;
}

/* Whether there are shared libraries, which the static runtime is blind to. Takes the loader's lock. */
static bool copies_have_libraries(void) {
    return dl_iterate_phdr(visit_library, NULL);
}

#endif

/* ---- Taking a report from the slabs. */

static bool collect_pairs(struct report *report, const struct rows *rows) {
    uint32_t places = pairs_count();
    report->pairs = collect_take((places + 1) * sizeof *report->pairs);
    report->has_pairs = runtime_options()->pairs;
    for (uint32_t place = 0; report->pairs && place < places; place++) {
        const struct profile_pair *pair = pair_at(place);
        if (pair && (report->has_pairs || pair_is_fault(pair_kind_of(pair))))
            report->pairs[report->pair_count++] = (struct report_pair){
                .kind = pair_kind_of(pair),
                .owner = rows_of(rows, pair_owner(pair)),
                .by = rows_of(rows, pair_by(pair)),
                .count = pair->count,
                .bytes = pair->bytes,
            };
    }
    return report->pairs;
}

#ifndef ALLOCSITE_STATIC

/* Sanitizers bring their own malloc and are the usual reason that another one stands before ours. Weak
 * references tell, for dlsym allocates, and a signal handler may be asking. */
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
    if (hole_is_set(HOLE_PAST))
        return rebind_is_done() ? rebind_allocator() : next_copier();
    const char *name = hole_is_set(HOLE_INTERPOSITION) ? sanitizer() : NULL;
    return name || !hole_is_set(HOLE_INTERPOSITION) ? name : next_interposer();
}

#else

static const char *other_malloc(void) {
    return NULL;
}

#endif

/* The holes that show only now. */
static void look_for_holes(void) {
    if (os_fork_failed())
        hole_set(HOLE_FORK);
    if (copies_exist())
        hole_set(HOLE_SECOND_RUNTIME);
#ifdef ALLOCSITE_STATIC
    if (copies_have_libraries()) {
        hole_set(HOLE_LIBRARIES);
        hole_set(HOLE_FREES);
    }
#endif
}

void collect_holes(struct profile_header *header) {
    look_for_holes();
    header->holes |= holes_all();
    if (hole_is_set(HOLE_INTERPOSITION) || hole_is_set(HOLE_PAST))
        header->other_malloc = names_text(other_malloc());
}

static void collect_reasons(struct report *report, bool is_end) {
    static char texts[HOLE_COUNT][HOLE_TEXT_SIZE];
    static const char *reasons[HOLE_COUNT];
    report->reason_count = 0;
    if (is_end)
        look_for_holes();
    for (int hole = 0; hole < HOLE_COUNT; hole++) {
        if (!hole_is_set(hole))
            continue;
        hole_text(texts[hole], (enum hole)hole, other_malloc());
        reasons[report->reason_count++] = texts[hole];
    }
    report->reasons = reasons;
}

/* rows: NULL: there is no report. */
static void add_lost(void *rows, const void *p, const struct block *block) {
    (void)p;
    struct report_site *row = rows ? rows_of(rows, block->slot) : NULL;
    struct profile_slot *told = store_is_file() ? slot_at(block->slot) : NULL;
    if (row) {
        row->lost_blocks++;
        row->lost_bytes += block->size;
    }
    if (told) {
        told->lost_blocks++;
        told->lost_bytes += block->size;
    }
}

/* NULL, or why that cannot be told. */
static const char *find_lost(struct rows *rows) {
    const char *unknown = reach_find_lost(add_lost, rows);
    if (store_is_file())
        store_header()->lost_unknown = names_text(unknown);
    store_header()->flags |= unknown ? 0 : PROFILE_HAS_LOST;
    return unknown;
}

static void collect_lost(struct report *report, struct rows *rows) {
    if (!runtime_options()->reach)
        return;
    report->lost_unknown = find_lost(rows);
    report->reach = !report->lost_unknown;
}

void collect_lost_for_profile(void) {
    const struct profile_header *header = store_header();
    bool is_known = header->flags & PROFILE_HAS_LOST || header->lost_unknown;
    if (runtime_options()->reach && store_is_file() && !is_known)
        find_lost(NULL);
}

/* Threads that run on may have raised what is live while it was added up. If none does, what breaks the laws
 * of the peak was torn. */
static void settle_peak(struct report *report, const struct rows *rows, bool is_end) {
    uint64_t bound = rows->peak_bytes + peak_within();
    bool is_broken = rows->live_bytes > bound || rows->is_odd;
    report->peak_within = peak_within() + (rows->live_bytes > bound ? rows->live_bytes - bound : 0);
    if (is_broken && is_end && runtime_owners && threads_are_quiet())
        hole_set(HOLE_TORN);
}

/* In one chain, of which nothing is taken away. */
static void collect_walked_for(struct report *report) {
    const struct profile_frame *first = names_frame_at(store_header()->walked_for);
    size_t count = 0;
    for (const struct profile_frame *at = first; at; at = names_frame_at(at->caller))
        count++;
    const char **paths = collect_take(count * sizeof *paths);
    for (const struct profile_frame *at = first; at && paths; at = names_frame_at(at->caller))
        paths[report->walked_for_count++] = names_text_at(at->function);
    report->walked_for = paths;
}

bool collect(struct report *report, enum collect_stacks which, bool is_end) {
    static char directory[PATH_MAX];
    struct rows rows;
    struct frames frames;
    *report = (struct report){
        .program = program_path(),
        .directory = getcwd(directory, sizeof directory),
        .pid = (uint64_t)os_process(),
        .finished = is_end,
        .running = !is_end,
        .walks = stacks_walks(),
        .wrong_contexts = store_header()->wrong_contexts,
        .run = profiling_run(is_end),
    };
    sums_know_inherited();
    report->forked = slots_know_inherited() && !store_header()->resets;
    if (!rows_collect(&rows, record_count()) ||
        !frames_open(&frames, &rows, report->walks.depth ? which : COLLECT_NO_STACKS, is_end))
        return false;
    rows_enter(&rows, report, &frames);
    settle_peak(report, &rows, is_end);
    collect_reasons(report, is_end);
    collect_walked_for(report);
    if (is_end)
        collect_lost(report, &rows);
    return frames_enter(&frames, report, &rows) && phases_enter(report, &rows, &frames) &&
           collect_pairs(report, &rows);
}

/* ---- The memory that a report is made of: mappings, each of which knows the one before it. */

struct mapping {
    struct mapping *before;
    size_t size;
};

/* A child that was forked meanwhile makes its own report anew. */
struct taken {
    struct mapping *last;
};

static struct table taken_table = {.element = sizeof(struct taken), .first = 1, .fork = OS_FORK_WIPES};

void *collect_take(size_t size) {
    struct taken *taken = table_at(&taken_table, 0);
    struct mapping *mapping = taken ? os_map(size + sizeof *mapping, OS_FORK_KEEPS) : NULL;
    if (!mapping)
        return NULL;
    *mapping = (struct mapping){taken->last, size + sizeof *mapping};
    taken->last = mapping;
    return mapping + 1;
}

void collect_done(void) {
    struct taken *taken = table_peek(&taken_table, 0);
    while (taken && taken->last) {
        struct mapping *last = taken->last;
        taken->last = last->before;
        os_unmap(last, last->size);
    }
}
