/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Texts that a site has copied before. A set of hashes, 64 bits of slot and text: that two different texts of
 * a site have the same one is less likely than 1 to 30 million with as many as there is room for. */
#include "lib/count/change.h"

#include "base/hash.h"
#include "lib/base/os.h"
#include "lib/base/slot.h"

#include <errno.h>
#include <string.h>

#define PLACES_BITS 20
#define PLACES      (UINT64_C(1) << PLACES_BITS)
#define TEXTS_MOST  (PLACES / 4 * 3)

bool repeats_wanted;
static uint64_t *places; /* linear probing; 0: free */
static uint64_t texts;

bool repeats_begin(void) {
    places = os_map(PLACES * sizeof *places, OS_FORK_KEEPS);
    repeats_wanted = places;
    return places;
}

static uint64_t hash_of(uint32_t slot, const char *text) {
    uint64_t hash = slot, word;
    size_t left = strlen(text);
    for (; left >= sizeof word; left -= sizeof word, text += sizeof word) {
        memcpy(&word, text, sizeof word);
        hash = hash_more(hash, word);
    }
    word = left;
    memcpy((char *)&word + 1, text, left);
    hash = hash_more(hash, word);
    return hash ? hash : 1;
}

/* Threads that come with the same text at once: one of them is the first. False: it is there. */
static bool add(uint64_t hash) {
    for (uint64_t i = hash;; i++) {
        uint64_t *place = &places[i & (PLACES - 1)], found = 0;
        if (__atomic_compare_exchange_n(place, &found, hash, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return true;
        if (found == hash)
            return false;
    }
}

static bool is_there(uint64_t hash) {
    for (uint64_t i = hash;; i++) {
        uint64_t found = __atomic_load_n(&places[i & (PLACES - 1)], __ATOMIC_RELAXED);
        if (!found || found == hash)
            return found;
    }
}

/* Rooms that are left free end every search, with as many threads as there may be. */
static bool has_room(void) {
    uint64_t number = __atomic_fetch_add(&texts, 1, __ATOMIC_RELAXED);
    if (number < TEXTS_MOST)
        return true;
    __atomic_fetch_sub(&texts, 1, __ATOMIC_RELAXED);
    static bool is_told;
    if (!__atomic_exchange_n(&is_told, true, __ATOMIC_RELAXED))
        os_say(
            "repeats: there is no room for more than 786,432 texts; that others come again is not counted");
    return false;
}

static bool came_before(uint64_t hash) {
    if (is_there(hash))
        return true;
    if (!has_room() || add(hash))
        return false;
    __atomic_fetch_sub(&texts, 1, __ATOMIC_RELAXED);
    return true;
}

void repeats_note(uint32_t slot, const char *text) {
    int error = errno;
    if (slot != NO_SLOT && came_before(hash_of(slot, text)))
        change_rare(slot, offsetof(struct rare, repeats));
    errno = error;
}
