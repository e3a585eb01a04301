/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of modules, from their files, else from their dynamic symbols. */
#define _GNU_SOURCE
#include "lib/collect/rows.h"

#include "base/arrays.h"
#include "format.h"
#include "lib/base/os.h"
#include "lib/collect/collect.h"
#include "lib/elf/image.h"

#include <string.h>
#include <sys/resource.h>

struct symbol {
    uint64_t address, size;
    uint32_t name; /* offset in the strings */
};

static int compare(const void *left, const void *right) {
    const struct symbol *a = left, *b = right;
    int order = (a->address > b->address) - (a->address < b->address);
    return order ? order : (a->size > b->size) - (a->size < b->size);
}

/* Some symbols, and their names. */
struct table {
    const ElfW(Sym) * list;
    size_t count;
    size_t strings_size;
};

/* With a name that is there: the loader looks at few of them. */
static bool is_function(const ElfW(Sym) * symbol, size_t strings_size) {
    unsigned type = ELF64_ST_TYPE(symbol->st_info);
    return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF && symbol->st_size &&
           symbol->st_name < strings_size;
}

static size_t list_functions(struct symbol *to, const struct table *table) {
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        const ElfW(Sym) *symbol = &table->list[i];
        if (is_function(symbol, table->strings_size))
            to[count++] = (struct symbol){symbol->st_value, symbol->st_size, symbol->st_name};
    }
    return count;
}

/* How far addresses are to be shifted to be as many cells as there are addresses. */
static unsigned shift_for(const struct symbol *list, size_t count, uint64_t *low) {
    uint64_t high = 0;
    unsigned shift = 0;
    *low = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        *low = list[i].address < *low ? list[i].address : *low;
        high = list[i].address > high ? list[i].address : high;
    }
    while (count && (high - *low) >> shift >= count)
        shift++;
    return shift;
}

/* Aliases, mostly. */
#define FEW 32

static void sort_cell(struct symbol *cell, size_t count) {
    if (count > FEW) {
        sort_array(cell, count, sizeof *cell, compare);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        struct symbol symbol = cell[i];
        size_t to = i;
        for (; to && compare(&symbol, &cell[to - 1]) < 0; to--)
            cell[to] = cell[to - 1];
        cell[to] = symbol;
    }
}

/* Functions lie so evenly that few share a cell. To sort those of libstdc++ and libc by comparisons alone
 * took 25 million instructions, more than a small program has. */
static void sort_into(struct symbol *sorted, uint32_t *ends, const struct symbol *list, size_t count) {
    uint64_t low;
    unsigned shift = shift_for(list, count, &low);
    for (size_t i = 0; i < count; i++)
        ends[((list[i].address - low) >> shift) + 1]++;
    for (size_t cell = 0; cell < count; cell++)
        ends[cell + 1] += ends[cell];
    for (size_t i = 0; i < count; i++)
        sorted[ends[(list[i].address - low) >> shift]++] = list[i];
    for (size_t cell = 0, begin = 0; cell < count; begin = ends[cell++])
        sort_cell(sorted + begin, ends[cell] - begin);
}

static void read_functions(struct symbols *symbols, const struct table *table) {
    struct symbol *list = collect_take(table->count * sizeof *list);
    size_t count = list ? list_functions(list, table) : 0;
    uint32_t *ends = collect_take((count + 1) * sizeof *ends);
    symbols->sorted = collect_take(count * sizeof *symbols->sorted);
    if (!ends || !symbols->sorted)
        return;
    sort_into(symbols->sorted, ends, list, count);
    symbols->count = count;
}

/* ---- The module's file. */

/* The first page of a module is that of its file: it has the sizes of all parts, and as a rule a build id. */
enum { PAGE = 4096 };

/* A wrapper's twin or stand-in is the wrapper to whoever reads. */
static char *copy_names(const struct symtab *file) {
    char *names = collect_take(file->strings_size);
    if (!names)
        return NULL;
    memcpy(names, file->strings, file->strings_size);
    for (size_t i = 0; i < file->count; i++)
        if (is_function(&file->list[i], file->strings_size)) {
            char *end = strstr(names + file->list[i].st_name, ALLOCSITE_SITED);
            if (end)
                *end = '\0';
        }
    return names;
}

/* Where memory is limited, what is left is the report's own. */
static bool read_file(struct symbols_of *of, const void *start) {
    struct symtab file;
    if (os_address_space() != RLIM_INFINITY || !symtab_open(&file, of->module->path, false))
        return false;
    bool is_it = file.size >= PAGE && memcmp(file.file, start, PAGE) == 0;
    of->symbols.strings = is_it ? copy_names(&file) : NULL;
    if (of->symbols.strings)
        read_functions(&of->symbols, &(struct table){file.list, file.count, file.strings_size});
    symtab_close(&file);
    return of->symbols.count;
}

/* ---- What is in memory. */

/* Names of a module that may be unloaded before they are used are copied. */
static const char *keep_strings(const struct image *image, bool is_permanent) {
    char *copy = is_permanent ? NULL : collect_take(image->strings_size);
    return copy ? memcpy(copy, image->strings, image->strings_size) : is_permanent ? image->strings : NULL;
}

static void read_object(struct symbols_of *of, const struct dl_phdr_info *object) {
    struct image image;
    uint32_t first, end;
    if (!image_read(&image, object))
        return;
    of->symbols.strings = keep_strings(&image, of->module->permanent);
    image_defined_symbols(&image, &first, &end);
    if (of->symbols.strings)
        read_functions(&of->symbols, &(struct table){image.symbols + first, end - first, image.strings_size});
}

static void read_permanent(struct symbols_of *of) {
    const ElfW(Ehdr) *header = of->module->start;
    const ElfW(Phdr) *segments = header ? elf_segments(header) : NULL;
    if (segments && !read_file(of, header))
        read_object(of, &(struct dl_phdr_info){.dlpi_addr = elf_base(header),
                                               .dlpi_phdr = segments,
                                               .dlpi_phnum = header->e_phnum});
}

/* Where the object begins that the loader has now; NULL: not at the beginning of its file. */
static const void *start_of(const struct dl_phdr_info *object) {
    for (unsigned i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_LOAD)
            return object->dlpi_phdr[i].p_offset ? NULL
                                                 : (void *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    return NULL;
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
        const void *start = is_it ? start_of(object) : NULL;
        if (is_it && !(start && read_file(of, start)))
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
    address--; /* the call, that may be the last of its function */
    size_t low = sorted_up_to(symbols->sorted, symbols->count, sizeof *symbols->sorted,
                              offsetof(struct symbol, address), address);
    for (size_t i = 0; i < NESTED && i < low; i++)
        if (holds(&symbols->sorted[low - 1 - i], address))
            return symbols->strings + symbols->sorted[low - 1 - i].name;
    return NULL;
}
