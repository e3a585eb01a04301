/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Relocation of a section of a relocatable object, as far as tables and debug information need it. */
#include "elf_file.h"

#include <elf.h>
#include <string.h>

struct relocation {
    const struct elf_file *elf;
    const struct elf_section *symbols;
    const struct elf_section *extended; /* section numbers that do not fit into symbols; NULL: none */
    const uint64_t *sizes, *bases;      /* of each section */
};

static const struct elf_section *extended_indices(const struct elf_file *elf, size_t symbol_table) {
    for (size_t i = 0; i < elf->count; i++)
        if (elf->sections[i].type == SHT_SYMTAB_SHNDX && elf->sections[i].link == symbol_table &&
            elf->sections[i].bytes)
            return &elf->sections[i];
    return NULL;
}

static uint32_t extended_index(const struct elf_section *indices, uint64_t symbol) {
    uint32_t index;
    if (!indices || symbol >= indices->size / sizeof index)
        return SHN_UNDEF;
    memcpy(&index, indices->bytes + symbol * sizeof index, sizeof index);
    return index;
}

static bool symbol_value(const struct relocation *in, uint64_t number, uint64_t *value) {
    Elf64_Sym symbol;
    if (number >= in->symbols->size / sizeof symbol)
        return false;
    memcpy(&symbol, in->symbols->bytes + number * sizeof symbol, sizeof symbol);
    uint32_t section = symbol.st_shndx == SHN_XINDEX ? extended_index(in->extended, number) : symbol.st_shndx;
    bool is_defined = section != SHN_UNDEF && section < in->elf->count;
    *value = is_defined ? in->bases[section] + symbol.st_value : 0;
    return true;
}

/* Width in bytes of what a relocation writes; 0: nothing. */
static bool width_of(uint32_t type, size_t *width, bool *is_relative) {
    *is_relative = type == R_X86_64_PC32 || type == R_X86_64_PC64;
    switch (type) {
    case R_X86_64_NONE:
        *width = 0;
        return true;
    case R_X86_64_PC32:
    case R_X86_64_32:
    case R_X86_64_32S:
    case R_X86_64_DTPOFF32:
        *width = 4;
        return true;
    case R_X86_64_PC64:
    case R_X86_64_64:
    case R_X86_64_DTPOFF64:
        *width = 8;
        return true;
    default:
        return false;
    }
}

static bool apply(const struct relocation *in, Elf64_Rela entry, size_t target, unsigned char *copy,
                  struct reason *why) {
    size_t width;
    bool is_relative;
    if (!width_of(ELF64_R_TYPE(entry.r_info), &width, &is_relative))
        return reason_set(why, "relocation type %u is not known here", (unsigned)ELF64_R_TYPE(entry.r_info));
    uint64_t size = in->sizes[target], value;
    if (entry.r_offset > size || width > size - entry.r_offset)
        return reason_set(why, "damaged: a relocation lies outside of its section");
    if (!symbol_value(in, ELF64_R_SYM(entry.r_info), &value))
        return reason_set(why, "damaged: a relocation names a symbol that does not exist");
    value += (uint64_t)entry.r_addend;
    if (is_relative)
        value -= in->bases[target] + entry.r_offset;
    memcpy(copy + entry.r_offset, &value, width);
    return true;
}

static bool apply_all(struct relocation *in, const struct elf_section *entries, unsigned char *copy,
                      struct reason *why) {
    for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= entries->size; at += sizeof(Elf64_Rela)) {
        Elf64_Rela entry;
        memcpy(&entry, entries->bytes + at, sizeof entry);
        if (!apply(in, entry, entries->info, copy, why))
            return false;
    }
    return true;
}

/* A file has one symbol table as a rule, so what belongs to it is looked up once. */
static bool use_symbols(struct relocation *in, uint32_t section) {
    if (section >= in->elf->count || !in->elf->sections[section].bytes)
        return false;
    if (in->symbols != &in->elf->sections[section]) {
        in->symbols = &in->elf->sections[section];
        in->extended = extended_indices(in->elf, section);
    }
    return true;
}

bool elf_relocate(const struct elf_file *elf, unsigned char *const *copies, const uint64_t *sizes,
                  const uint64_t *bases, struct reason *why) {
    struct relocation in = {.elf = elf, .sizes = sizes, .bases = bases};
    for (size_t i = 0; i < elf->count; i++) {
        const struct elf_section *entries = &elf->sections[i];
        if (entries->type != SHT_RELA || entries->info >= elf->count || !copies[entries->info])
            continue;
        if (!entries->bytes || !use_symbols(&in, entries->link))
            return reason_set(why, "damaged: relocations without their symbol table");
        if (!apply_all(&in, entries, copies[entries->info], why))
            return false;
    }
    return true;
}
