/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finding the symbols of an ELF file. */
#define _GNU_SOURCE
#include "lib/elf/image.h"

#include "lib/base/os.h"

#include <string.h>

static bool has(size_t size, uint64_t offset, uint64_t length) {
    return offset <= size && length <= size - offset;
}

/* The section's bytes; NULL: they are not in the file. */
static const void *bytes_of(const struct symtab *symtab, const Elf64_Shdr *section) {
    bool is_there = section->sh_type != SHT_NOBITS && has(symtab->size, section->sh_offset, section->sh_size);
    return is_there && section->sh_offset % 8 == 0 ? symtab->file + section->sh_offset : NULL;
}

static bool take_table(struct symtab *symtab, const Elf64_Shdr *sections, const Elf64_Shdr *table,
                       unsigned count) {
    const Elf64_Shdr *strings = table->sh_link < count ? &sections[table->sh_link] : NULL;
    if (!strings || !has(symtab->size, strings->sh_offset, strings->sh_size) || !strings->sh_size ||
        symtab->file[strings->sh_offset + strings->sh_size - 1])
        return false;
    symtab->list = bytes_of(symtab, table);
    symtab->count = table->sh_size / sizeof(Elf64_Sym);
    symtab->strings = symtab->file + strings->sh_offset;
    symtab->strings_size = strings->sh_size;
    return symtab->list;
}

static bool find_table(struct symtab *symtab, unsigned kinds) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)symtab->file;
    static const uint32_t kind_of[] = {SHT_SYMTAB, SHT_DYNSYM};
    if (symtab->size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff % 8 != 0 ||
        !has(symtab->size, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr)))
        return false;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(symtab->file + header->e_shoff);
    for (unsigned kind = 0; kind < kinds; kind++)
        for (unsigned i = 0; i < header->e_shnum; i++)
            if (sections[i].sh_type == kind_of[kind] &&
                take_table(symtab, sections, &sections[i], header->e_shnum))
                return true;
    return false;
}

bool symtab_open(struct symtab *symtab, const char *path, bool is_enough) {
    *symtab = (struct symtab){.count = 0};
    symtab->file = os_map_to_read(path, &symtab->size);
    if (symtab->file && find_table(symtab, is_enough ? 2 : 1))
        return true;
    if (symtab->file)
        symtab_close(symtab);
    return false;
}

void symtab_close(struct symtab *symtab) {
    os_unmap((void *)(uintptr_t)symtab->file, symtab->size);
}
