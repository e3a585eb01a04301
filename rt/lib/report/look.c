/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Searches of the heap by allocsite-dump. */
#define _GNU_SOURCE
#include "lib/report/look.h"

#include "base/words.h"
#include "cfi/cfi.h"
#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/os.h"
#include "lib/base/state.h"
#include "lib/base/table.h"
#include "lib/heap/underlying.h"
#include "lib/registry/registry.h"
#include "lib/report/reader.h"
#include "lib/store/store.h"
#include "lib/walk/walk.h"
#include "root.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert(sizeof((struct root_caller){0}.registers) == CFI_REGISTERS * sizeof(uintptr_t),
               "the reader takes them as they are");

/* collect/collect.c refers to it in an ELF note. */
extern const struct root allocsite_root;

/* The active exit handler, and the C library's functions that call such handlers. */
static struct walk_exit exit_call;

void look_note_exit(const void *frame) {
    exit_call.frame = (uintptr_t)frame;
}

/* Not at exit, where another thread might hold the dynamic loader's lock for ever. */
__attribute__((constructor)) static void find_exit(void) {
#ifdef ALLOCSITE_STATIC
    exit_call.functions[0] = (uintptr_t)exit;
    exit_call.functions[1] = (uintptr_t)quick_exit;
#else
    exit_call.functions[0] = (uintptr_t)underlying_symbol_after("exit");
    exit_call.functions[1] = (uintptr_t)underlying_symbol_after("quick_exit");
#endif
}

/* The reader writes the reason as its answer; why: the reason if it has written none. */
static void read_reason(struct look *look, int answer, const char *why) {
    long size = syscall(SYS_pread64, answer, look->reason, sizeof look->reason - 1, 0L);
    if (size <= 0)
        strncpy(look->reason, why, sizeof look->reason - 1);
}

static void records_take(const struct look *look, int answer) {
    enum { RECORD_MOST = 64 };
    _Alignas(uint64_t) char record[RECORD_MOST];
    for (off_t at = 0; syscall(SYS_pread64, answer, record, look->record, at) == (long)look->record;
         at += (off_t)look->record)
        look->take(look->context, record);
}

/* With Yama a process may stop and read its parent only if the parent permits it. */
static const char *search_run(struct look *look, const struct root_caller *caller) {
    const char *why;
    struct reader_call call = {.search = look->search, .caller = caller, .answer = os_memory_file()};
    if (call.answer < 0)
        return "no file in memory can be created for the result";
    call.out = look->out < 0 ? call.answer : look->out;
    prctl(PR_SET_PTRACER, (unsigned long)os_process());
    int error = reader_run(&call, &why);
    prctl(PR_SET_PTRACER, 0UL);
    if (error)
        read_reason(look, call.answer, why);
    else if (look->record)
        records_take(look, call.answer);
    os_close(call.answer);
    return error ? look->reason : NULL;
}

/* Blocks signals, because a handler's allocations during the search would be seen only in part. */
static COLD const char *look_from_here(struct look *look, struct root_caller *caller) {
    static int32_t holder;
    const char *why = "a signal handler has interrupted another search";
    uint64_t signals = os_signals_hold();
    walk_to_program(caller->registers, &exit_call);
    if (os_lock(&holder) == 0) {
        why = search_run(look, caller);
        os_unlock(&holder);
    }
    os_signals_release(signals);
    return why;
}

const char *look_at_process(struct look *look) {
    int error = errno;
    struct root_caller caller = {
        .root = &allocsite_root, .thread = (uint64_t)syscall(SYS_gettid), .thread_pointer = thread_pointer()};
    memset(look->reason, 0, sizeof look->reason);
    if (os_is_simulated())
        return "valgrind runs the program and permits no search";
    WALK_REGISTERS(caller.registers);
    const char *why = look_from_here(look, &caller);
    errno = error; /* also prevents a tail call, which would remove this frame */
    return why;
}

/* ---- Leaked blocks: live blocks that nothing in the process points to. */

static struct table possibly_leaked = {.element = sizeof(struct profile_possibly_leaked),
                                       .first = PROFILE_POSSIBLY_LEAKED_FIRST,
                                       .fork = OS_FORK_WIPES,
                                       .areas = &store_areas,
                                       .kind = PROFILE_POSSIBLY_LEAKED};

static void add_leaked(void *unused, const void *record) {
    const struct root_leaked *leaked = record;
    struct profile_slot *slot = slot_at((uint32_t)leaked->slot);
    struct profile_possibly_leaked *possible =
        leaked->possibly_blocks ? table_at(&possibly_leaked, (uint32_t)leaked->slot) : NULL;
    (void)unused;
    if (possible) {
        possible->blocks = leaked->possibly_blocks;
        possible->bytes = leaked->possibly_bytes;
    }
    if (slot) {
        slot->leaked_blocks = leaked->blocks;
        slot->leaked_bytes = leaked->bytes;
    }
}

void leaks_find(struct profile_header *header) {
    struct look look = {
        .search = "leaked", .out = -1, .record = sizeof(struct root_leaked), .take = add_leaked};
    const char *unknown =
        gaps_hide_blocks() ? "not all blocks of the process are known" : look_at_process(&look);
    header->leaked_unknown = names_text(unknown);
    header->flags |= unknown ? 0 : PROFILE_HAS_LEAKED;
}

static void take_parts(void *parts, const void *record) {
    memcpy(parts, record, sizeof((struct profile_header *)0)->resident_parts);
}

void resident_find(struct profile_header *header) {
    struct look look = {.search = "resident",
                        .out = -1,
                        .record = sizeof header->resident_parts,
                        .take = take_parts,
                        .context = header->resident_parts};
    const char *unknown = *root_heap.end ? look_at_process(&look) : NULL; /* no end: no block is recorded */
    if (unknown)
        os_say("resident memory is not divided: ", unknown);
}

static void take_size(void *to, const void *record) {
    *(uint64_t *)to = *(const uint64_t *)record;
}

uint64_t leaked_deep_size(const void *from) {
    char address[16 + 1] = "";
    uint64_t bytes = 0;
    struct look look = {.search = digits_before(address + sizeof address - 1, (uintptr_t)from, 16),
                        .out = -1,
                        .record = sizeof bytes,
                        .take = take_size,
                        .context = &bytes};
    return from && !look_at_process(&look) ? bytes : 0;
}
