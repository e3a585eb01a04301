/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of modules, from their dynamic symbols. */
#define _GNU_SOURCE
#include "symbols.h"
#include "collect_memory.h"
#include "elf_base.h"
#include "elf_image.h"
#include "sort.h"

#include <string.h>

struct symbol {
    uint64_t address, size;
    uint32_t name; /* offset in the strings */
};

static int compare(const void *left, const void *right) {
    const struct symbol *a = left, *b = right;
    int order = (a->address > b->address) - (a->address < b->address);
    return order ? order : (a->size > b->size) - (a->size < b->size);
}

/* With a name that is there: the loader looks at few of them. */
static bool is_function(const struct image *image, const ElfW(Sym) * symbol) {
    unsigned type = ELF64_ST_TYPE(symbol->st_info);
    return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF && symbol->st_size &&
           symbol->st_name < image->strings_size;
}

static void read_functions(struct symbols *symbols, const struct image *image) {
    uint32_t first, end;
    image_defined_symbols(image, &first, &end);
    symbols->sorted = collect_take((end - first) * sizeof *symbols->sorted);
    for (uint32_t i = first; symbols->sorted && i < end; i++) {
        const ElfW(Sym) *symbol = &image->symbols[i];
        if (is_function(image, symbol))
            symbols->sorted[symbols->count++] =
                (struct symbol){symbol->st_value, symbol->st_size, symbol->st_name};
    }
    sort_array(symbols->sorted, symbols->count, sizeof *symbols->sorted, compare);
}

/* What may be unloaded before the names are used keeps none of them. */
static const char *keep_strings(const struct image *image, bool is_permanent) {
    char *copy = is_permanent ? NULL : collect_take(image->strings_size);
    return copy ? memcpy(copy, image->strings, image->strings_size) : is_permanent ? image->strings : NULL;
}

static void read_object(struct symbols_of *of, const struct dl_phdr_info *object) {
    struct image image;
    if (!image_read(&image, object))
        return;
    of->symbols.strings = keep_strings(&image, of->module->permanent);
    if (of->symbols.strings)
        read_functions(&of->symbols, &image);
}

static void read_permanent(struct symbols_of *of) {
    const ElfW(Ehdr) *header = of->module->start;
    const ElfW(Phdr) *segments = header ? elf_segments(header) : NULL;
    if (segments)
        read_object(of, &(struct dl_phdr_info){.dlpi_addr = elf_base(header),
                                               .dlpi_phdr = segments,
                                               .dlpi_phnum = header->e_phnum});
}

struct search {
    struct symbols_of *modules;
    size_t count;
};

static int look_at(struct dl_phdr_info *object, size_t size, void *context) {
    const struct search *search = context;
    (void)size;
    for (size_t i = 0; i < search->count; i++) {
        struct symbols_of *of = &search->modules[i];
        bool is_it = of->module && !of->symbols.sorted && strcmp(of->module->name, object->dlpi_name) == 0;
        if (is_it)
            read_object(of, object);
    }
    return 0;
}

void symbols_find(struct symbols_of *modules, size_t count, bool is_end) {
    struct search search = {modules, count};
    for (size_t i = 0; i < count; i++)
        if (modules[i].module && modules[i].module->permanent)
            read_permanent(&modules[i]);
    if (is_end)
        dl_iterate_phdr(look_at, &search);
}

static bool holds(const struct symbol *symbol, uint64_t address) {
    return address - symbol->address < symbol->size;
}

/* Those that begin before the address, backwards: one within another is seldom deeper than this. */
#define NESTED 8

const char *symbols_function(const struct symbols *symbols, uint64_t address) {
    size_t low = 0, high = symbols->count;
    address--; /* the call, that may be the last of its function */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (symbols->sorted[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = 0; i < NESTED && i < low; i++)
        if (holds(&symbols->sorted[low - 1 - i], address))
            return symbols->strings + symbols->sorted[low - 1 - i].name;
    return NULL;
}
