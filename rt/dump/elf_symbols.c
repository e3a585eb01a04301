/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions in the symbol tables of an ELF file. */
#include "elf_symbols.h"
#include "grow.h"

#include <elf.h>
#include <string.h>

static const struct elf_section *table_of(const struct elf_file *elf, uint32_t type) {
    for (size_t i = 0; i < elf->count; i++)
        if (elf->sections[i].type == type && elf->sections[i].bytes &&
            elf->sections[i].size > sizeof(Elf64_Sym))
            return &elf->sections[i];
    return NULL;
}

/* The strings must end with a NUL, which a linker always writes. */
static const char *name_in(const struct elf_section *strings, uint32_t offset) {
    bool is_there = strings->bytes && offset < strings->size && strings->bytes[strings->size - 1] == '\0';
    const char *name = is_there ? (const char *)strings->bytes + offset : "";
    return *name ? name : NULL;
}

/* Code that was written by hand has symbols without a type. */
static bool is_function(const Elf64_Sym *symbol) {
    unsigned type = ELF64_ST_TYPE(symbol->st_info);
    return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS && symbol->st_value &&
           (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

/* Functions before labels, what others can call before what is local, names of the user's before those with
 * underscores, which are the implementation's. */
static uint32_t rank_of(const Elf64_Sym *symbol, const char *name) {
    size_t underscores = strncmp(name, "_Z", 2) == 0 ? 0 : strspn(name, "_");
    return (ELF64_ST_TYPE(symbol->st_info) == STT_NOTYPE ? 100u : 0u) +
           (ELF64_ST_BIND(symbol->st_info) == STB_LOCAL ? 10u : 0u) +
           (uint32_t)(underscores < 9 ? underscores : 9);
}

static bool add(struct elf_symbols *symbols, const Elf64_Sym *symbol, const char *name) {
    if (!grow(&symbols->list, symbols->count, &symbols->room, sizeof *symbols->list))
        return false;
    symbols->list[symbols->count++] =
        (struct elf_symbol){symbol->st_value, symbol->st_size, name, rank_of(symbol, name)};
    return true;
}

static int compare(const void *a, const void *b) {
    const struct elf_symbol *left = a, *right = b;
    if (left->address != right->address)
        return left->address > right->address ? 1 : -1;
    if (left->rank != right->rank)
        return left->rank < right->rank ? 1 : -1;
    return strcmp(right->name, left->name);
}

bool elf_symbols_read(struct elf_symbols *symbols, const struct elf_file *elf) {
    const struct elf_section *table = table_of(elf, SHT_SYMTAB);
    table = table ? table : table_of(elf, SHT_DYNSYM);
    if (!table || table->link >= elf->count)
        return true;
    for (uint64_t at = 0; table->size - at >= sizeof(Elf64_Sym); at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        memcpy(&symbol, table->bytes + at, sizeof symbol);
        const char *name = is_function(&symbol) ? name_in(&elf->sections[table->link], symbol.st_name) : NULL;
        if (name && !add(symbols, &symbol, name))
            return false;
    }
    if (symbols->count)
        qsort(symbols->list, symbols->count, sizeof *symbols->list, compare);
    return true;
}

void elf_symbols_free(struct elf_symbols *symbols) {
    free(symbols->list);
}

/* A symbol without a size reaches up to the next one. */
static bool covers(const struct elf_symbol *symbol, const struct elf_symbol *next, uint64_t address) {
    uint64_t size = symbol->size;
    if (!size)
        size = next ? next->address - symbol->address : UINT64_MAX;
    return address - symbol->address < size;
}

/* The last one that begins at or below the address, unless it has ended: then one before it may be larger. */
const char *elf_symbols_find(const struct elf_symbols *symbols, uint64_t address) {
    enum { LOOK_BACK = 16 };
    size_t first = 0, count = symbols->count;
    while (count) {
        size_t half = count / 2;
        bool is_below = symbols->list[first + half].address <= address;
        first += is_below ? half + 1 : 0;
        count = is_below ? count - half - 1 : half;
    }
    const struct elf_symbol *next = first < symbols->count ? &symbols->list[first] : NULL;
    for (size_t i = first; i-- > 0 && first - i <= LOOK_BACK;)
        if (covers(&symbols->list[i], next, address))
            return symbols->list[i].name;
    return NULL;
}
