/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lib/who/fault.h"

#include "lib/base/os.h"
#include "lib/who/registry.h"

#include "lib/base/state.h"
#include "lib/who/descriptor.h"

#include <string.h>

#define SAID_MOST 20

/* Where a slot is, "FUNCTION at FILE:LINE" or "MODULE+0xADDRESS". */
struct whereabouts {
    const char *function, *at, *file, *colon;
    char line[20];
};

static void write_number(char *text, uint64_t number, unsigned base) {
    char digits[20], *at = digits + sizeof digits - 1;
    *at = '\0';
    do
        *--at = "0123456789abcdef"[number % base];
    while (number /= base);
    strcpy(text, at);
}

static void find(struct whereabouts *where, uint32_t slot) {
    const struct record *record = record_at(slot);
    *where = (struct whereabouts){.function = "", .at = "", .file = "?", .colon = ""};
    if (!record)
        return;
    where->file = record->module->path;
    if (record->address) {
        where->colon = "+0x";
        write_number(where->line, record->address, 16);
    }
    if (!record->site)
        return;
    struct place place = descriptor_place(&record->site->scope, record->site->line, 0);
    where->function = place.function ? place.function : "?";
    where->at = " at ";
    where->file = place.file ? place.file : "?";
    where->colon = ":";
    write_number(where->line, place.line, 10);
}

void fault_say(enum pair_kind kind, uint32_t owner, uint32_t by) {
    static uint32_t said;
    if (strcmp(runtime_options()->report, "none") == 0 ||
        __atomic_fetch_add(&said, 1, __ATOMIC_RELAXED) >= SAID_MOST)
        return;
    struct whereabouts of, who;
    find(&of, owner);
    find(&who, by);
    if (record_at(owner))
        os_say("fault: ", pair_words(kind), ": ", who.function, who.at, who.file, who.colon, who.line,
               "; it came from ", of.function, of.at, of.file, of.colon, of.line);
    else
        os_say("fault: ", pair_words(kind), ": ", who.function, who.at, who.file, who.colon, who.line);
}
