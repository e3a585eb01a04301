/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Saying at once what the program does wrong with its blocks. */
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

/* Where a slot is, "FUNCTION at FILE:LINE" or "MODULE+0xADDRESS". */
struct whereabouts {
    const char *function, *at, *file, *colon, *line;
    char digits[21];
};

static COLD void find(struct whereabouts *where, uint32_t slot) {
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

/* One line, for the first faults of a process, unless no report is wanted. owner: slot of the block, 0: it is
 * no block; by: slot of the call. Does not allocate. */
static COLD void say(enum pair_kind kind, uint32_t owner, uint32_t by) {
    static uint32_t said;
    if (strcmp(runtime_options()->report, "none") == 0 ||
        __atomic_fetch_add(&said, 1, __ATOMIC_RELAXED) >= SAID_MOST)
        return;
    struct whereabouts of, who;
    find(&of, owner);
    find(&who, by);
    if (record_at(owner))
        report_say("fault: ", pair_words(kind), ": ", who.function, who.at, who.file, who.colon, who.line,
                   "; it came from ", of.function, of.at, of.file, of.colon, of.line);
    else
        report_say("fault: ", pair_words(kind), ": ", who.function, who.at, who.file, who.colon, who.line);
}

void faults_begin(void) {
    pair_fault_found = say;
}
