/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What can be told of code that no symbol names. */
#include "elf_functions.h"
#include "grow.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Of pointers, as DWARF encodes it. */
enum { RELATIVE_4_BYTES = 0x3b };

static uintptr_t end_of(const struct elf_section *section) {
    return (uintptr_t)section->bytes + section->size;
}

/* Whether the header has a table to search in, not all entries to be read for each address: with distances of
 * four bytes from the header. */
static bool is_sorted(const struct elf_section *header) {
    return header->size > 4 && header->bytes[3] == RELATIVE_4_BYTES;
}

/* Both are read where they lie in the file, as far from each other as in memory. */
static void find_tables(struct elf_functions *functions, const struct elf_file *elf) {
    const struct elf_section *header = elf_section_named(elf, ".eh_frame_hdr"),
                             *frames = elf_section_named(elf, ".eh_frame");
    if (!header || !frames || !is_sorted(header) ||
        (uintptr_t)frames->bytes - (uintptr_t)header->bytes != frames->address - header->address)
        return;
    bool is_first = header->bytes < frames->bytes;
    functions->tables = (struct cfi_tables){
        .begin = (uintptr_t)(is_first ? header : frames)->bytes,
        .end = end_of(is_first ? frames : header),
        .header = (uintptr_t)header->bytes,
    };
    functions->shift = (uintptr_t)header->bytes - header->address;
}

static bool add(struct elf_functions *functions, uint64_t address) {
    if (!address)
        return true;
    if (!grow(&functions->initialisers, functions->count, &functions->room, sizeof *functions->initialisers))
        return false;
    functions->initialisers[functions->count++] = address;
    return true;
}

/* Addresses stand in the array, or in the relocations of its places. */
static bool read_array(struct elf_functions *functions, const struct elf_section *array) {
    uint64_t address;
    for (uint64_t at = 0; array->size - at >= sizeof address; at += sizeof address) {
        memcpy(&address, array->bytes + at, sizeof address);
        if (!add(functions, address))
            return false;
    }
    return true;
}

static bool read_relocations(struct elf_functions *functions, const struct elf_section *relocations,
                             const struct elf_section *array) {
    Elf64_Rela relocation;
    for (uint64_t at = 0; relocations->size - at >= sizeof relocation; at += sizeof relocation) {
        memcpy(&relocation, relocations->bytes + at, sizeof relocation);
        bool is_of_it = ELF64_R_TYPE(relocation.r_info) == R_X86_64_RELATIVE &&
                        relocation.r_offset - array->address < array->size;
        if (is_of_it && !add(functions, (uint64_t)relocation.r_addend))
            return false;
    }
    return true;
}

static bool read_initialisers(struct elf_functions *functions, const struct elf_file *elf,
                              const struct elf_section *array) {
    if (!read_array(functions, array))
        return false;
    for (size_t i = 0; i < elf->count; i++)
        if (elf->sections[i].type == SHT_RELA && elf->sections[i].bytes &&
            !read_relocations(functions, &elf->sections[i], array))
            return false;
    return true;
}

static int compare(const void *a, const void *b) {
    const uint64_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

bool elf_functions_open(struct elf_functions *functions, const struct elf_file *elf) {
    const struct elf_section *array = elf_section_named(elf, ".init_array");
    *functions = (struct elf_functions){.count = 0};
    find_tables(functions, elf);
    if (array && !read_initialisers(functions, elf, array))
        return false;
    if (functions->count)
        qsort(functions->initialisers, functions->count, sizeof *functions->initialisers, compare);
    return true;
}

void elf_functions_close(struct elf_functions *functions) {
    free(functions->initialisers);
}

bool elf_functions_name(const struct elf_functions *functions, uint64_t address,
                        char name[ELF_FUNCTION_NAME_SIZE]) {
    struct cfi_entry entry;
    if (!functions->tables.header || !cfi_entry_find(&functions->tables, address + functions->shift, &entry))
        return false;
    uint64_t begin = entry.begin - functions->shift;
    bool is_initialiser =
        functions->count && bsearch(&begin, functions->initialisers, functions->count, sizeof begin, compare);
    if (is_initialiser)
        strcpy(name, "[static initialiser]");
    else
        snprintf(name, ELF_FUNCTION_NAME_SIZE, "[function at 0x%" PRIx64 "]", begin);
    return true;
}
