/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which sites the code of a linked module still refers to.
 *
 * Optimizers that run after the plugin, at link time above all, can drop a call and leave its descriptor
 * behind. Debug information says nothing of such a site. */
#include "dump/verify/evidence.h"

#include <elf.h>
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

static void see(struct number_map *references, struct range range, uint64_t address) {
    uint64_t *mark =
        address >= range.low && address <= range.high ? number_map_find(references, address) : NULL;
    if (mark)
        *mark = 1;
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
static void scan(struct number_map *references, struct range range, const struct elf_section *section) {
    uint32_t word;
    for (uint64_t at = 3; at + sizeof word <= section->size; at++) {
        const unsigned char *code = section->bytes + at;
        memcpy(&word, code, sizeof word);
        if (is_lea(code))
            see(references, range, section->address + at + sizeof word + (uint64_t)(int64_t)(int32_t)word);
        else if (is_mov(code))
            see(references, range, word);
    }
}

void code_references(struct number_map *references, const struct elf_file *elf, const struct table *table) {
    struct range range = range_of(table);
    for (size_t i = 0; i < table->count; i++)
        number_map_add(references, table->sites[i].address, 0);
    for (size_t i = 0; i < elf->count; i++)
        if ((elf->sections[i].flags & SHF_EXECINSTR) && elf->sections[i].bytes)
            scan(references, range, &elf->sections[i]);
}
