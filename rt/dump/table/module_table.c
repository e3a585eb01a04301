/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the site table of an ELF file. */
#include "dump/base/memory.h"
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
        if ((is_named(&elf->sections[i], ALLOCSITE_SITES_SECTION) ||
             is_named(&elf->sections[i], ALLOCSITE_FUNCTIONS_SECTION) ||
             is_named(&elf->sections[i], ALLOCSITE_CALLS_SECTION)) &&
            elf->sections[i].type != SHT_RELA)
            return true;
    return false;
}

static bool is_table_section(const struct elf_section *section) {
    return is_named(section, ALLOCSITE_SITES_SECTION) || is_named(section, ALLOCSITE_FRAMES_SECTION) ||
           is_named(section, ALLOCSITE_STRINGS_SECTION) || is_named(section, ALLOCSITE_FUNCTIONS_SECTION) ||
           is_named(section, ALLOCSITE_CALLS_SECTION);
}

/* Sections of a valid file do not overlap. Without this check a small file with many headers for the same
 * bytes could force a large allocation. */
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

/* Gives the sections of a relocatable object addresses, with gaps between them. Address 0 is avoided, since
 * undefined references resolve to it. */
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

/* Appends the regions of one kind after those of other kinds. */
static bool collect_regions(const struct module_table *module, const struct elf_file *elf,
                            const uint64_t *bases, const char *name, struct table_regions *regions,
                            struct reason *why) {
    for (size_t i = 0; i < elf->count; i++) {
        const struct elf_section *section = &elf->sections[i];
        if (!is_named(section, name) || section->size == 0)
            continue;
        if (!section->bytes)
            return reason_set(why,
                              section->type == SHT_NOBITS
                                  ? "its section %s has no contents (a separate debug file?)"
                                  : "damaged: section %s is truncated",
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

static bool decode_regions(struct module_table *module, const struct elf_file *elf, const uint64_t *bases,
                           struct reason *why) {
    struct table_input input = {0};
    const struct {
        const char *name;
        struct table_regions *regions;
    } kinds[] = {
        {ALLOCSITE_SITES_SECTION, &input.sites},     {ALLOCSITE_FRAMES_SECTION, &input.frames},
        {ALLOCSITE_STRINGS_SECTION, &input.strings}, {ALLOCSITE_FUNCTIONS_SECTION, &input.functions},
        {ALLOCSITE_CALLS_SECTION, &input.calls},
    };
    struct table_region *next = module->regions;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        kinds[i].regions->items = next;
        if (!collect_regions(module, elf, bases, kinds[i].name, kinds[i].regions, why))
            return false;
        next += kinds[i].regions->count;
    }
    return table_decode(&module->table, input, why);
}

static bool decode_relocated(struct module_table *module, const struct elf_file *elf, struct reason *why) {
    uint64_t *bases = memory_zeros(2 * elf->count, sizeof *bases), *sizes = bases + elf->count;
    lay_out(elf, bases, sizes);
    copy_sections(module, elf);
    bool is_read =
        elf_relocate(elf, module->copies, sizes, bases, why) && decode_regions(module, elf, bases, why);
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
    bool is_read =
        elf->type == ET_REL ? decode_relocated(module, elf, why) : decode_regions(module, elf, NULL, why);
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
