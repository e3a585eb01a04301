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

/* Code that was written by hand has symbols without a type; so have the ends of data. */
static bool is_function(const struct elf_file *elf, const Elf64_Sym *symbol) {
    unsigned type = ELF64_ST_TYPE(symbol->st_info);
    return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < elf->count && symbol->st_value &&
           elf->sections[symbol->st_shndx].flags & SHF_EXECINSTR &&
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

static uint64_t rest_of(const struct elf_section *section, uint64_t address) {
    uint64_t before = address - section->address;
    return before < section->size ? section->size - before : 0;
}

static bool add(struct elf_symbols *symbols, const struct elf_file *elf, const Elf64_Sym *symbol,
                const char *name) {
    if (!grow(&symbols->list, symbols->count, &symbols->room, sizeof *symbols->list))
        return false;
    uint64_t most = rest_of(&elf->sections[symbol->st_shndx], symbol->st_value);
    symbols->list[symbols->count++] = (struct elf_symbol){
        .address = symbol->st_value,
        .size = symbol->st_size ? symbol->st_size : most,
        .name = name,
        .rank = rank_of(symbol, name),
        .is_label = !symbol->st_size,
    };
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

/* What follows a label, in the same section at most, is its own up to the next symbol. */
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

bool elf_symbols_read(struct elf_symbols *symbols, const struct elf_file *elf) {
    const struct elf_section *table = table_of(elf, SHT_SYMTAB);
    table = table ? table : table_of(elf, SHT_DYNSYM);
    if (!table || table->link >= elf->count)
        return true;
    for (uint64_t at = 0; table->size - at >= sizeof(Elf64_Sym); at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        memcpy(&symbol, table->bytes + at, sizeof symbol);
        const char *name =
            is_function(elf, &symbol) ? name_in(&elf->sections[table->link], symbol.st_name) : NULL;
        if (name && !add(symbols, elf, &symbol, name))
            return false;
    }
    if (symbols->count)
        qsort(symbols->list, symbols->count, sizeof *symbols->list, compare);
    end_labels(symbols);
    return true;
}

void elf_symbols_free(struct elf_symbols *symbols) {
    free(symbols->list);
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
    for (size_t i = first; i-- > 0 && first - i <= LOOK_BACK;)
        if (address - symbols->list[i].address < symbols->list[i].size)
            return symbols->list[i].name;
    return NULL;
}
