/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The option stack_sites: patterns of the slots that keep stacks. */
#include "lib/paths/stacks.h"

#include "format.h"
#include "lib/base/options.h"
#include "lib/base/os.h"
#include "lib/registry/descriptor.h"
#include "model/filter.h"

#include <string.h>

static bool is_site(const char *pattern, const struct allocsite_site *site) {
    struct place at = descriptor_at(site);
    if (filter_is_id(pattern, site->hash) || filter_is_name(pattern, descriptor_request(site, false)) ||
        filter_is_name(pattern, descriptor_request(site, true)) || filter_is_place(pattern, &at))
        return true;
    for (const struct allocsite_frame *frame = descriptor_caller(site); frame;
         frame = descriptor_frame(&frame->caller)) {
        at = descriptor_place(frame);
        if (filter_is_place(pattern, &at))
            return true;
    }
    return false;
}

/* Copies the first pattern and returns the rest of the patterns. */
static const char *take_pattern(const char *patterns, char pattern[SETTING_PATH_SIZE]) {
    size_t length = strcspn(patterns, ",");
    memcpy(pattern, patterns, length);
    pattern[length] = '\0';
    return patterns + length + (patterns[length] == ',');
}

/* The patterns that have matched something, as bits. Patterns after the 64th are not reported. */
static uint64_t matched;

bool stack_sites_select(const char *patterns, const struct record *record) {
    char pattern[SETTING_PATH_SIZE];
    uint64_t these = 0;
    bool is_selected = false;
    for (unsigned number = 0; *patterns; number++) {
        patterns = take_pattern(patterns, pattern);
        if (!(record->site ? is_site(pattern, record->site) : filter_is_path(pattern, record->module->path)))
            continue;
        is_selected = true;
        these |= number < 64 ? UINT64_C(1) << number : 0;
    }
    __atomic_fetch_or(&matched, these, __ATOMIC_RELAXED);
    return is_selected;
}

void stack_sites_tell(const char *patterns) {
    char pattern[SETTING_PATH_SIZE];
    for (unsigned number = 0; *patterns && number < 64; number++) {
        patterns = take_pattern(patterns, pattern);
        if (!(matched >> number & 1))
            os_say("stack_sites: nothing that allocated matches ", pattern);
    }
}
