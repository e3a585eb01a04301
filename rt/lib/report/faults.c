/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports faults of the program immediately. */
#include "base/words.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/base/state.h"
#include "lib/count/pairs.h"
#include "lib/registry/descriptor.h"
#include "lib/registry/registry.h"
#include "lib/report/report.h"

#include <string.h>

#define SAID_MOST 20

/* The location of a slot: "FUNCTION at FILE:LINE" or "MODULE+0xADDRESS". */
struct whereabouts {
    const char *function, *at, *file, *colon, *line;
    char digits[21];
};

static COLD void whereabouts_find(struct whereabouts *where, uint32_t slot) {
    const struct record *record = record_at(slot);
    *where = (struct whereabouts){.function = "", .at = "", .file = "?", .colon = "", .line = ""};
    if (!record)
        return;
    where->file = record->module->path;
    if (record->address) {
        where->colon = "+0x";
        where->line = digits_before(where->digits + 20, record->address, 16);
    }
    if (!record->site)
        return;
    struct place place = descriptor_at(record->site);
    where->function = place.function ? place.function : "?";
    where->at = " at ";
    where->file = place.file ? place.file : "?";
    where->colon = ":";
    where->line = digits_before(where->digits + 20, place.line, 10);
}

/* Writes one line for each of the first faults of a process, unless report=none. owner: slot of the block, or
 * 0 if it is no block; by: slot of the call. Does not allocate. */
static COLD void fault_say(enum pair_kind kind, uint32_t owner, uint32_t by) {
    static uint32_t said;
    if (strcmp(runtime_options()->report, "none") == 0 ||
        __atomic_fetch_add(&said, 1, __ATOMIC_RELAXED) >= SAID_MOST)
        return;
    struct whereabouts owner_where, by_where;
    whereabouts_find(&owner_where, owner);
    whereabouts_find(&by_where, by);
    if (record_at(owner))
        report_say("fault: ", pair_words(kind), ": ", by_where.function, by_where.at, by_where.file,
                   by_where.colon, by_where.line, "; it came from ", owner_where.function, owner_where.at,
                   owner_where.file, owner_where.colon, owner_where.line);
    else
        report_say("fault: ", pair_words(kind), ": ", by_where.function, by_where.at, by_where.file,
                   by_where.colon, by_where.line);
}

void faults_begin(void) {
    pair_fault_found = fault_say;
}
