/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The debug sections of a module. */
#include "dwarf_sections.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#ifdef ALLOCSITE_HAVE_ZSTD
#include <zstd.h>
#endif

/* ELFCOMPRESS_ZSTD, which older elf.h do not have. */
enum { COMPRESS_ZSTD = 2 };

static bool is_debug(const struct elf_section *section) {
    return strncmp(section->name, ".debug_", strlen(".debug_")) == 0 && section->type != SHT_RELA &&
           section->bytes;
}

static bool has_debug_info(const struct elf_file *elf) {
    for (size_t i = 0; i < elf->count; i++)
        if (strcmp(elf->sections[i].name, ".debug_info") == 0 && is_debug(&elf->sections[i]))
            return true;
    return false;
}

static bool copy_plain(struct dwarf_sections *sections, size_t index, struct reason *why) {
    const struct elf_section *section = &sections->elf->sections[index];
    sections->copies[index] = malloc(section->size ? section->size : 1);
    if (!sections->copies[index])
        return reason_set(why, "out of memory");
    memcpy(sections->copies[index], section->bytes, section->size);
    return true;
}

static bool check_compression(const struct elf_section *section, Elf64_Chdr *header, struct reason *why) {
    /* No stream of zlib grows by more, nor does debug information with another method. */
    enum { RATIO_MAX = 1032 };
    if (section->size < sizeof *header)
        return reason_set(why, "its compressed section %s is cut off", section->name);
    memcpy(header, section->bytes, sizeof *header);
    if (header->ch_size / RATIO_MAX > section->size)
        return reason_set(why, "its compressed section %s is damaged", section->name);
    return true;
}

static bool inflate_section(unsigned char *to, uint64_t size, const unsigned char *from, uint64_t from_size) {
    uLongf got = size;
    return uncompress(to, &got, from, from_size) == Z_OK && got == size;
}

static bool unpack(const struct elf_section *section, const Elf64_Chdr *header, unsigned char *to,
                   struct reason *why) {
    const unsigned char *from = section->bytes + sizeof *header;
    uint64_t from_size = section->size - sizeof *header;
    bool is_unpacked = false;
    if (header->ch_type == ELFCOMPRESS_ZLIB)
        is_unpacked = inflate_section(to, header->ch_size, from, from_size);
    else if (header->ch_type != COMPRESS_ZSTD)
        return reason_set(why, "its debug information is compressed with an unknown method");
    else
#ifdef ALLOCSITE_HAVE_ZSTD
        is_unpacked = ZSTD_decompress(to, header->ch_size, from, from_size) == header->ch_size;
#else
        return reason_set(why, "its debug information is compressed with zstd, which this allocsite-dump was "
                               "built without");
#endif
    return is_unpacked || reason_set(why, "its compressed section %s is damaged", section->name);
}

/* libdwarf does not learn through its interface that a section is compressed. */
static bool decompress(struct dwarf_sections *sections, size_t index, struct reason *why) {
    const struct elf_section *section = &sections->elf->sections[index];
    Elf64_Chdr header;
    if (!check_compression(section, &header, why))
        return false;
    sections->copies[index] = malloc(header.ch_size ? header.ch_size : 1);
    if (!sections->copies[index])
        return reason_set(why, "out of memory");
    sections->sizes[index] = header.ch_size;
    return unpack(section, &header, sections->copies[index], why);
}

static bool open_section(struct dwarf_sections *sections, size_t index, uint64_t *left, struct reason *why) {
    const struct elf_section *section = &sections->elf->sections[index];
    if (section->size > *left)
        return reason_set(why, "its debug sections overlap");
    *left -= section->size;
    if (section->flags & SHF_COMPRESSED)
        return decompress(sections, index, why);
    return sections->elf->type != ET_REL || copy_plain(sections, index, why);
}

static bool open_sections(struct dwarf_sections *sections, struct reason *why) {
    const struct elf_file *elf = sections->elf;
    uint64_t left = elf->size;
    for (size_t i = 0; i < elf->count; i++) {
        sections->sizes[i] = elf->sections[i].bytes ? elf->sections[i].size : 0;
        if (is_debug(&elf->sections[i]) && !open_section(sections, i, &left, why))
            return false;
    }
    return true;
}

/* References between debug sections are offsets, so every section lies at address 0. */
static bool relocate(struct dwarf_sections *sections, struct reason *why) {
    uint64_t *bases = calloc(sections->elf->count, sizeof *bases);
    bool is_done = bases ? elf_relocate(sections->elf, sections->copies, sections->sizes, bases, why)
                         : reason_set(why, "out of memory");
    free(bases);
    return is_done;
}

bool dwarf_sections_open(struct dwarf_sections *sections, const struct elf_file *elf, struct reason *why) {
    *sections = (struct dwarf_sections){.elf = elf};
    if (!has_debug_info(elf))
        return reason_set(why, "it has no debug information (compile with -g)");
    sections->copies = calloc(elf->count, sizeof *sections->copies);
    sections->sizes = calloc(elf->count, sizeof *sections->sizes);
    bool is_open =
        sections->copies && sections->sizes ? open_sections(sections, why) : reason_set(why, "out of memory");
    if (is_open && (elf->type != ET_REL || relocate(sections, why)))
        return true;
    dwarf_sections_close(sections);
    return false;
}

void dwarf_sections_close(struct dwarf_sections *sections) {
    for (size_t i = 0; sections->copies && i < sections->elf->count; i++)
        free(sections->copies[i]);
    free(sections->copies);
    free(sections->sizes);
    *sections = (struct dwarf_sections){0};
}

const unsigned char *dwarf_section_bytes(const struct dwarf_sections *sections, size_t index) {
    return sections->copies[index] ? sections->copies[index] : sections->elf->sections[index].bytes;
}
