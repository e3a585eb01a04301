/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the functions in the symbol tables of an ELF file. */
#include "dump/elf/elf_file.h"

#include "base/arrays.h"
#include "dump/base/memory.h"
#include "dump/base/names.h"

#include <elf.h>
#include <inttypes.h>
#include <libdwarf/dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct elf_section *table_of(const struct elf_file *elf, uint32_t type) {
    for (size_t i = 0; i < elf->count; i++)
        if (elf->sections[i].type == type && elf->sections[i].bytes &&
            elf->sections[i].size > sizeof(Elf64_Sym))
            return &elf->sections[i];
    return NULL;
}

/* Symbols of hand-written code have no type. Neither have symbols for the ends of data, which the section
 * excludes. */
static bool is_function(const struct elf_file *elf, const Elf64_Sym *symbol) {
    unsigned type = ELF64_ST_TYPE(symbol->st_info);
    return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < elf->count && symbol->st_value &&
           elf->sections[symbol->st_shndx].flags & SHF_EXECINSTR &&
           (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

/* Prefers functions to labels, then global to local symbols, then names without leading underscores, which
 * are reserved for implementations. */
static uint32_t rank_of(const Elf64_Sym *symbol, const char *name) {
    size_t underscores = is_mangled(name) ? 0 : strspn(name, "_");
    return (ELF64_ST_TYPE(symbol->st_info) == STT_NOTYPE ? 100u : 0u) +
           (ELF64_ST_BIND(symbol->st_info) == STB_LOCAL ? 10u : 0u) +
           (uint32_t)(underscores < 9 ? underscores : 9);
}

static uint64_t bytes_to_end_of(const struct elf_section *section, uint64_t address) {
    uint64_t before = address - section->address;
    return before < section->size ? section->size - before : 0;
}

static void add_symbol(struct elf_symbols *symbols, const struct elf_file *elf, const Elf64_Sym *symbol,
                       const char *name) {
    memory_grow(&symbols->list, symbols->count, &symbols->capacity, sizeof *symbols->list);
    uint64_t most = bytes_to_end_of(&elf->sections[symbol->st_shndx], symbol->st_value);
    symbols->list[symbols->count++] = (struct elf_symbol){
        .address = symbol->st_value,
        .size = symbol->st_size ? symbol->st_size : most,
        .name = name,
        .rank = rank_of(symbol, name),
        .is_label = !symbol->st_size,
    };
}

/* At one address, the preferred symbol comes last. */
static int compare_symbols(const void *a, const void *b) {
    const struct elf_symbol *left = a, *right = b;
    return compare_u64(left->address, right->address) ?: compare_u64(right->rank, left->rank)
                                                      ?: strcmp(right->name, left->name);
}

/* A label extends to the next symbol, at most to the end of its section. */
static void end_labels(struct elf_symbols *symbols) {
    uint64_t next = UINT64_MAX;
    for (size_t i = symbols->count; i-- > 0;) {
        struct elf_symbol *symbol = &symbols->list[i];
        if (symbol->is_label && next - symbol->address < symbol->size)
            symbol->size = next - symbol->address;
        if (i && symbols->list[i - 1].address != symbol->address)
            next = symbol->address;
    }
}

void elf_symbols_read(struct elf_symbols *symbols, const struct elf_file *elf) {
    const struct elf_section *table = table_of(elf, SHT_SYMTAB) ?: table_of(elf, SHT_DYNSYM);
    Elf64_Sym symbol;
    if (!table || table->link >= elf->count)
        return;
    for (uint64_t i = 0; elf_entry(table, i, &symbol, sizeof symbol); i++) {
        const char *name =
            is_function(elf, &symbol) ? elf_string(&elf->sections[table->link], symbol.st_name) : "";
        if (*name)
            add_symbol(symbols, elf, &symbol, name);
    }
    sort_list(symbols->list, symbols->count, sizeof *symbols->list, compare_symbols);
    end_labels(symbols);
}

void elf_symbols_free(struct elf_symbols *symbols) {
    free(symbols->list);
}

/* Tests symbols backwards from the last one that begins at or below the address: an earlier, larger one may
 * contain the address. */
const char *elf_symbols_find(const struct elf_symbols *symbols, uint64_t address) {
    enum { LOOK_BACK = 16 };
    size_t first = sorted_up_to(symbols->list, symbols->count, sizeof *symbols->list,
                                offsetof(struct elf_symbol, address), address);
    for (size_t i = first; i-- > 0 && first - i <= LOOK_BACK;)
        if (address - symbols->list[i].address < symbols->list[i].size)
            return symbols->list[i].name;
    return NULL;
}

/* ---- Code without symbols. */

static uintptr_t end_of(const struct elf_section *section) {
    return (uintptr_t)section->bytes + section->size;
}

/* True if the header has a binary search table with 4-byte offsets from the header. Otherwise each look-up
 * would read all entries. */
static bool is_sorted(const struct elf_section *header) {
    return header->size > 4 && header->bytes[3] == (DW_EH_PE_datarel | DW_EH_PE_sdata4);
}

/* Both sections are read in place: their distance in the file equals that in memory. */
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

static void add_function(struct elf_functions *functions, uint64_t address) {
    if (address)
        number_map_add(&functions->initialisers, address, 0);
}

static void read_relocations(struct elf_functions *functions, const struct elf_section *relocations,
                             const struct elf_section *array) {
    Elf64_Rela relocation;
    for (uint64_t i = 0; elf_entry(relocations, i, &relocation, sizeof relocation); i++)
        if (ELF64_R_TYPE(relocation.r_info) == R_X86_64_RELATIVE &&
            relocation.r_offset - array->address < array->size)
            add_function(functions, (uint64_t)relocation.r_addend);
}

/* The addresses are in the array itself or in its relocations. */
static void read_initialisers(struct elf_functions *functions, const struct elf_file *elf,
                              const struct elf_section *array) {
    uint64_t address;
    for (uint64_t i = 0; elf_entry(array, i, &address, sizeof address); i++)
        add_function(functions, address);
    for (size_t i = 0; i < elf->count; i++)
        if (elf->sections[i].type == SHT_RELA)
            read_relocations(functions, &elf->sections[i], array);
}

void elf_functions_open(struct elf_functions *functions, const struct elf_file *elf) {
    const struct elf_section *array = elf_section_named(elf, ".init_array");
    *functions = (struct elf_functions){.shift = 0};
    find_tables(functions, elf);
    if (array)
        read_initialisers(functions, elf, array);
}

void elf_functions_close(struct elf_functions *functions) {
    number_map_free(&functions->initialisers);
}

uint64_t elf_functions_begin(const struct elf_functions *functions, uint64_t address) {
    struct cfi_entry entry;
    bool is_found =
        functions->tables.header && cfi_entry_find(&functions->tables, address + functions->shift, &entry);
    return is_found ? entry.begin - functions->shift : 0;
}

bool elf_functions_name(const struct elf_functions *functions, uint64_t address,
                        char name[ELF_FUNCTION_NAME_SIZE]) {
    uint64_t begin = elf_functions_begin(functions, address);
    if (!begin)
        return false;
    if (number_map_find(&functions->initialisers, begin))
        strcpy(name, "[static initialiser]");
    else
        snprintf(name, ELF_FUNCTION_NAME_SIZE, "[function at 0x%" PRIx64 "]", begin);
    return true;
}
