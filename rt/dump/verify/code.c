/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which sites the code of a linked module still refers to.
 *
 * Optimizers that run after the plugin, at link time above all, can drop a call and leave its descriptor
 * behind. Debug information says nothing of such a site. */
#include "base/hash.h"
#include "dump/verify/marks.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

struct range {
    uint64_t low, high;
};

static struct range range_of(const struct table *table) {
    struct range range = {UINT64_MAX, 0};
    for (size_t i = 0; i < table->count; i++) {
        uint64_t address = table->sites[i].address;
        range.low = address < range.low ? address : range.low;
        range.high = address > range.high ? address : range.high;
    }
    return range;
}

static void see(struct marks *marks, struct range range, uint64_t address) {
    if (address >= range.low && address <= range.high)
        marks_see(marks, address, 1);
}

/* Whether the four bytes at code end a lea of an address relative to the instruction pointer. */
static bool is_lea(const unsigned char *code) {
    return (code[-3] == 0x48 || code[-3] == 0x4C) && code[-2] == 0x8D && (code[-1] & 0xC7) == 0x05;
}

/* Whether they are what a mov puts into a register, as in programs at a fixed place. */
static bool is_mov(const unsigned char *code) {
    return (code[-1] & 0xF8) == 0xB8;
}

/* Compilers take the address of a site by one of two instructions. They are looked for at every byte, since
 * finding where instructions begin would take a disassembler. */
static void scan(struct marks *marks, struct range range, const struct elf_section *section) {
    uint32_t word;
    for (uint64_t at = 3; at + sizeof word <= section->size; at++) {
        const unsigned char *code = section->bytes + at;
        memcpy(&word, code, sizeof word);
        if (is_lea(code))
            see(marks, range, section->address + at + sizeof word + (uint64_t)(int64_t)(int32_t)word);
        else if (is_mov(code))
            see(marks, range, word);
    }
}

bool code_references(struct marks *marks, const struct elf_file *elf, const struct table *table) {
    struct range range = range_of(table);
    for (size_t i = 0; i < table->count; i++)
        if (!marks_want(marks, table->sites[i].address))
            return false;
    for (size_t i = 0; i < elf->count; i++)
        if ((elf->sections[i].flags & SHF_EXECINSTR) && elf->sections[i].bytes)
            scan(marks, range, &elf->sections[i]);
    return true;
}

/* ---- A set of 64-bit keys that are wanted: open addressing, at most half full. */

uint64_t key_of_number(uint64_t state, uint64_t number) {
    uint64_t key = hash_more(state, number);
    return key ? key : 1;
}

uint64_t key_of_text(uint64_t state, const char *text) {
    return key_of_number(state, fnv_1a(text, strlen(text)));
}

/* Where the key is or would be. */
static size_t slot_of(const struct marks *set, uint64_t key) {
    size_t slot = key & (set->capacity - 1);
    while (set->keys[slot] && set->keys[slot] != key)
        slot = (slot + 1) & (set->capacity - 1);
    return slot;
}

static bool grow(struct marks *set) {
    size_t capacity = set->capacity ? set->capacity * 2 : 256;
    struct marks bigger = {calloc(capacity, sizeof *set->keys), calloc(capacity, 1), capacity, set->count};
    if (!bigger.keys || !bigger.seen) {
        marks_free(&bigger);
        return false;
    }
    for (size_t i = 0; i < set->capacity; i++) {
        if (!set->keys[i])
            continue;
        size_t slot = slot_of(&bigger, set->keys[i]);
        bigger.keys[slot] = set->keys[i];
        bigger.seen[slot] = set->seen[i];
    }
    marks_free(set);
    *set = bigger;
    return true;
}

bool marks_want(struct marks *set, uint64_t key) {
    if (set->count * 2 >= set->capacity && !grow(set))
        return false;
    size_t slot = slot_of(set, key);
    set->count += set->keys[slot] == 0;
    set->keys[slot] = key;
    return true;
}

bool marks_see(struct marks *set, uint64_t key, unsigned char marks) {
    if (set->count == 0)
        return false;
    size_t slot = slot_of(set, key);
    if (!set->keys[slot])
        return false;
    set->seen[slot] |= marks;
    return true;
}

unsigned char marks_of(const struct marks *set, uint64_t key) {
    return set->count ? set->seen[slot_of(set, key)] : 0;
}

void marks_free(struct marks *set) {
    free(set->keys);
    free(set->seen);
    *set = (struct marks){0};
}
