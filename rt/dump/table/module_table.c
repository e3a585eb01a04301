/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The site table of an ELF file. */
#include "dump/base/memory.h"
#include "dump/base/names.h"
#include "dump/table/table.h"
#include "format.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

static bool is_named(const struct elf_section *section, const char *name) {
    return section->type != SHT_NULL && strcmp(section->name, name) == 0;
}

bool module_has_table(const struct elf_file *elf) {
    for (size_t i = 0; i < elf->count; i++)
        if (is_named(&elf->sections[i], ALLOCSITE_SITES_SECTION) && elf->sections[i].type != SHT_RELA)
            return true;
    return false;
}

static bool is_table_section(const struct elf_section *section) {
    return is_named(section, ALLOCSITE_SITES_SECTION) || is_named(section, ALLOCSITE_FRAMES_SECTION) ||
           is_named(section, ALLOCSITE_STRINGS_SECTION) || is_named(section, ALLOCSITE_WRAPPERS_SECTION) ||
           is_named(section, ALLOCSITE_FUNCTIONS_SECTION);
}

/* Sections of a sound file do not overlap. Many headers over the same bytes would make a small file cost a
 * large allocation. */
static bool check_size(const struct elf_file *elf, struct reason *why) {
    uint64_t left = elf->size;
    for (size_t i = 0; i < elf->count; i++) {
        const struct elf_section *section = &elf->sections[i];
        if (!is_table_section(section) || !section->bytes)
            continue;
        if (section->size > left)
            return reason_set(why, "damaged: sections of the site table overlap");
        left -= section->size;
    }
    return true;
}

/* The sections of a relocatable object have no addresses yet: lay them out one behind the other, with gaps,
 * and not at 0, where references to what is undefined go. */
static void lay_out(const struct elf_file *elf, uint64_t *bases, uint64_t *sizes) {
    uint64_t next = 0x10000;
    for (size_t i = 0; i < elf->count; i++) {
        if (!is_table_section(&elf->sections[i]))
            continue;
        bases[i] = next;
        sizes[i] = elf->sections[i].size;
        next += sizes[i] + 64;
    }
}

static void copy_sections(struct module_table *module, const struct elf_file *elf) {
    module->copies = memory_zeros(elf->count, sizeof *module->copies);
    module->count = elf->count;
    for (size_t i = 0; i < elf->count; i++) {
        const struct elf_section *section = &elf->sections[i];
        if (is_table_section(section) && section->bytes)
            module->copies[i] = memory_copy(section->bytes, section->size);
    }
}

/* Appends the regions of one kind, behind those of the kinds before. */
static bool collect(const struct module_table *module, const struct elf_file *elf, const uint64_t *bases,
                    const char *name, struct table_regions *regions, struct reason *why) {
    for (size_t i = 0; i < elf->count; i++) {
        const struct elf_section *section = &elf->sections[i];
        if (!is_named(section, name) || section->size == 0)
            continue;
        if (!section->bytes)
            return reason_set(why,
                              section->type == SHT_NOBITS
                                  ? "its section %s has no contents (a separate debug file?)"
                                  : "damaged: section %s is cut off",
                              name);
        const unsigned char *copy = module->copies ? module->copies[i] : NULL;
        regions->items[regions->count++] = (struct table_region){
            .address = bases ? bases[i] : section->address,
            .bytes = copy ? copy : section->bytes,
            .size = section->size,
        };
    }
    return true;
}

static bool decode(struct module_table *module, const struct elf_file *elf, const uint64_t *bases,
                   struct reason *why) {
    struct table_input input = {0};
    const struct {
        const char *name;
        struct table_regions *regions;
    } kinds[] = {
        {ALLOCSITE_SITES_SECTION, &input.sites},         {ALLOCSITE_FRAMES_SECTION, &input.frames},
        {ALLOCSITE_STRINGS_SECTION, &input.strings},     {ALLOCSITE_WRAPPERS_SECTION, &input.wrappers},
        {ALLOCSITE_FUNCTIONS_SECTION, &input.functions},
    };
    struct table_region *next = module->regions;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        kinds[i].regions->items = next;
        if (!collect(module, elf, bases, kinds[i].name, kinds[i].regions, why))
            return false;
        next += kinds[i].regions->count;
    }
    return table_decode(&module->table, input, why);
}

static bool decode_relocated(struct module_table *module, const struct elf_file *elf, struct reason *why) {
    uint64_t *bases = memory_zeros(2 * elf->count, sizeof *bases), *sizes = bases + elf->count;
    lay_out(elf, bases, sizes);
    copy_sections(module, elf);
    bool is_read = elf_relocate(elf, module->copies, sizes, bases, why) && decode(module, elf, bases, why);
    free(bases);
    return is_read;
}

bool module_table_read(struct module_table *module, const struct elf_file *elf, struct reason *why) {
    *module = (struct module_table){0};
    if (!module_has_table(elf))
        return reason_set(why, "has no site table (not compiled with the allocsite plugin, or it allocates "
                               "nothing)");
    if (!check_size(elf, why))
        return false;
    module->regions = memory_zeros(elf->count, sizeof *module->regions);
    bool is_read = elf->type == ET_REL ? decode_relocated(module, elf, why) : decode(module, elf, NULL, why);
    if (!is_read)
        module_table_free(module);
    return is_read;
}

void module_table_free(struct module_table *module) {
    table_free(&module->table);
    free(module->regions);
    for (size_t i = 0; i < module->count; i++)
        free(module->copies ? module->copies[i] : NULL);
    free(module->copies);
    *module = (struct module_table){0};
}

/* ---- Which of the functions that could be wrappers are: a table knows that only as a whole, when all files
 * of a module have been linked. */

static int by_symbol(const void *symbol, const void *wrapper) {
    return strcmp(symbol, ((const struct table_wrapper *)wrapper)->symbol);
}

static struct table_wrapper *find(const struct table *table, const char *symbol) {
    return bsearch(symbol, table->wrappers, table->wrapper_count, sizeof *table->wrappers, by_symbol);
}

static bool is_real(const struct table *table, const struct table_site *site) {
    const struct table_wrapper *wrapper = site->possible ? find(table, site->possible) : NULL;
    return !site->possible || (wrapper && !wrapper->is_possible);
}

/* Of what could be a wrapper only the wrapper tells whether it gives blocks back. */
static struct table_site settled(const struct table *table, struct table_site site) {
    if (site.possible && find(table, site.possible)->kind == ALLOCSITE_FREE) {
        site.kind = ALLOCSITE_FREE;
        site.type = NULL;
    }
    return site;
}

/* The sites in wrappers, by the names that debug information has for these. */
struct inner_sites {
    const struct table_site **list;
    size_t count;
};

static int by_function(const void *left, const void *right) {
    const struct table_site *a = *(struct table_site *const *)left, *b = *(struct table_site *const *)right;
    return strcmp(a->at.function, b->at.function);
}

static struct inner_sites inner_sites(const struct table *table) {
    struct inner_sites inner = {memory_zeros(table->count, sizeof *inner.list), 0};
    for (size_t i = 0; i < table->count; i++)
        if (table->sites[i].of_wrapper && table->sites[i].at.function)
            inner.list[inner.count++] = &table->sites[i];
    qsort(inner.list, inner.count, sizeof *inner.list, by_function);
    return inner;
}

static int by_name(const void *name, const void *site) {
    return strcmp(name, (*(struct table_site *const *)site)->at.function);
}

/* A wrapper is one if something is that it hands on the blocks of. */
static bool hands_on(const struct table *table, const struct inner_sites *inner,
                     const struct table_wrapper *wrapper) {
    char *name = demangle(wrapper->symbol);
    const char *function = name ? name : wrapper->symbol;
    const struct table_site **found =
        bsearch(function, inner->list, inner->count, sizeof *inner->list, by_name);
    bool is_one = false;
    while (found && found > inner->list && strcmp(found[-1]->at.function, function) == 0)
        found--;
    for (; found && found < inner->list + inner->count && strcmp((*found)->at.function, function) == 0;
         found++)
        is_one |= is_real(table, *found);
    free(name);
    return is_one;
}

static bool settle_once(struct table *table, const struct inner_sites *inner) {
    bool has_changed = false;
    for (size_t i = 0; i < table->wrapper_count; i++)
        if (table->wrappers[i].is_possible && hands_on(table, inner, &table->wrappers[i])) {
            table->wrappers[i].is_possible = false;
            has_changed = true;
        }
    return has_changed;
}

/* Puts those that are possible alone behind all others, in their order. */
static void part(struct table *table) {
    struct table_site *possible = memory_zeros(table->count, sizeof *possible);
    size_t known = 0;
    for (size_t i = 0; i < table->count; i++)
        if (is_real(table, &table->sites[i]))
            table->sites[known++] = settled(table, table->sites[i]);
        else
            possible[table->possible_count++] = table->sites[i];
    memcpy(table->sites + known, possible, table->possible_count * sizeof *possible);
    free(possible);
    table->count = known;
}

void table_settle(struct table *table) {
    struct inner_sites inner = inner_sites(table);
    while (settle_once(table, &inner))
        ;
    free(inner.list);
    part(table);
}
