/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The option fail. */
#include "lib/hook/fail.h"

#include "base/hash.h"
#include "base/words.h"
#include "lib/base/slot.h"
#include "lib/count/threads.h"
#include "lib/heap/operators.h"
#include "lib/hook/fail_fork.h"
#include "lib/hook/hook.h"
#include "lib/registry/registry.h"
#include "lib/store/store.h"
#include "model/filter.h"

#include <stdlib.h>
#include <string.h>

enum { PATTERN_SIZE = 512, PLACES = 16 };

bool fail_is_set;

static char pattern[PATTERN_SIZE]; /* "": wanted_path */
static bool forks, per_site;       /* all paths are wanted, each in a child (fail_fork.h) */
static uint64_t wanted_path, wanted_number;

/* Whether each slot is the wanted one, because names and ids take long to compare. */
enum { NOT_KNOWN, IS_OTHER, IS_WANTED };
static uint8_t known[1u << SLOT_BITS];

static uint64_t slot_path(uint32_t slot, uint64_t id) {
    for (profile_name at = record_stack(slot).stack; at;) {
        const struct profile_step *step = names_step_at(at);
        const struct profile_return *to = step ? names_return_at(step->to) : NULL;
        const struct record *module = to ? record_at(to->module) : NULL;
        if (to)
            id = path_id_more(id, module ? module->module->build_id : "", module ? module->module->path : "",
                              (uint64_t)to->address[1] << 32 | to->address[0]);
        at = step ? step->caller : 0;
    }
    return id;
}

static bool is_wanted(uint32_t slot) {
    struct place places[PLACES];
    const struct site_view view = hook_site(slot, places, PLACES);
    return pattern[0] ? filter_matches(pattern, &view) : slot_path(slot, view.id) == wanted_path;
}

static void fail_end(void) {
    __atomic_store_n(&fail_is_set, false, __ATOMIC_RELEASE);
    hooks_watch_again();
}

/* Returns whether this is a child in which the allocation fails. */
static bool fail_in_child(uint32_t slot) {
    bool is_first = __atomic_exchange_n(&known[per_site ? slot_row(slot) : slot], IS_OTHER,
                                        __ATOMIC_RELAXED) == NOT_KNOWN;
    if (!is_first || !fail_fork())
        return false;
    fail_end();
    return true;
}

COLD bool fail_reached(uint32_t slot) {
    static uint64_t count;
    if (slot >= sizeof known)
        return false;
    if (forks)
        return fail_in_child(slot);
    if (known[slot] == NOT_KNOWN)
        known[slot] = is_wanted(slot) ? IS_WANTED : IS_OTHER;
    if (known[slot] != IS_WANTED || __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) != wanted_number)
        return false;
    fail_end();
    return true;
}

/* Splits ":N" off. In FILE:LINE without a further number, the number is the line. */
static bool take_number(char *where) {
    char *number = strrchr(where, ':');
    wanted_number = 1;
    if (!number || !number[1] || number[1 + strspn(number + 1, "0123456789")])
        return true;
    size_t before = (size_t)(number - where);
    bool has_line = before != strcspn(where, ":"), is_file = memchr(where, '.', before) != NULL;
    if (is_file && !has_line && where[0] != '@')
        return true;
    *number = '\0';
    return !amount_read_all(number + 1, false, &wanted_number) && wanted_number && before;
}

#define FORK "fork:"

bool fail_begin(const char *where) {
    char text[PATTERN_SIZE], *end;
    if (strlen(where) >= sizeof text)
        return false;
    strcpy(text, where);
    forks = strncmp(where, FORK, strlen(FORK)) == 0;
    if (forks ? !fail_fork_begin(where + strlen(FORK), &per_site) : !take_number(text) || !text[0])
        return false;
    if (forks) {
        pattern[0] = '\0';
    } else if (text[0] == '@') {
        wanted_path = strtoull(text + 1, &end, 16);
        if (end == text + 1 || *end)
            return false;
    } else {
        strcpy(pattern, text);
    }
    operators_watch();
    __atomic_store_n(&fail_is_set, true, __ATOMIC_RELEASE);
    hooks_watch_again();
    return true;
}
