/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the header and sections of 64-bit little-endian ELF files for x86-64 in memory. */
#include "dump/elf/elf_file.h"

#include "base/elf_note.h"
#include "dump/base/memory.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

struct file_bytes {
    const unsigned char *data;
    size_t size;
};

/* NULL: the file does not contain all of these bytes. */
static const unsigned char *file_bytes_at(struct file_bytes file, uint64_t offset, uint64_t size) {
    return offset <= file.size && size <= file.size - offset ? file.data + offset : NULL;
}

static bool is_bitcode(struct file_bytes file) {
    static const unsigned char raw[] = {'B', 'C', 0xC0, 0xDE}, wrapped[] = {0xDE, 0xC0, 0x17, 0x0B};
    return file.size >= 4 && (memcmp(file.data, raw, 4) == 0 || memcmp(file.data, wrapped, 4) == 0);
}

static bool check_ident(struct file_bytes file, struct reason *why) {
    if (is_bitcode(file))
        return reason_set(why, "LLVM bitcode has no site table yet: link it (-flto) and look at the result");
    if (file.size < SELFMAG || memcmp(file.data, ELFMAG, SELFMAG) != 0)
        return reason_set(why, "not an ELF file");
    if (file.size < sizeof(Elf64_Ehdr))
        return reason_set(why, "the ELF header is truncated");
    if (file.data[EI_CLASS] != ELFCLASS64)
        return reason_set(why, "not a 64-bit ELF file");
    if (file.data[EI_DATA] != ELFDATA2LSB)
        return reason_set(why, "not a little-endian ELF file");
    return true;
}

static bool say_core(struct reason *why) {
    return reason_set(why, "is a core file, which has neither counters nor sites: a profile outlives a crash "
                           "(ALLOCSITE_OPTIONS=profile=PATH), the executable has the sites");
}

/* Recognizes 32-bit files as well, since the type is at the same offset. */
bool elf_is_core(const void *bytes, size_t size, struct reason *why) {
    uint16_t type;
    if (size < EI_NIDENT + sizeof type || memcmp(bytes, ELFMAG, SELFMAG) != 0)
        return false;
    memcpy(&type, (const char *)bytes + EI_NIDENT, sizeof type);
    return type == ET_CORE && !say_core(why);
}

static bool check_header(const Elf64_Ehdr *header, struct reason *why) {
    if (header->e_type == ET_CORE)
        return say_core(why);
    if (header->e_machine != EM_X86_64)
        return reason_set(why, "ELF machine %u is not supported, only x86-64 is", header->e_machine);
    if (header->e_type != ET_REL && header->e_type != ET_EXEC && header->e_type != ET_DYN)
        return reason_set(why, "unknown ELF type %u", header->e_type);
    if (header->e_shoff == 0)
        return reason_set(why, "has no section headers");
    if (header->e_shentsize != sizeof(Elf64_Shdr))
        return reason_set(why, "damaged: section headers of %u bytes", header->e_shentsize);
    return true;
}

static Elf64_Shdr section_header(const unsigned char *headers, size_t index) {
    Elf64_Shdr header;
    memcpy(&header, headers + index * sizeof header, sizeof header);
    return header;
}

/* Numbers that do not fit into the ELF header are in the first section header. */
static bool section_counts(struct file_bytes file, const Elf64_Ehdr *header, uint64_t *count,
                           uint64_t *names) {
    *count = header->e_shnum;
    *names = header->e_shstrndx;
    if (*count && *names != SHN_XINDEX)
        return true;
    const unsigned char *first = file_bytes_at(file, header->e_shoff, sizeof(Elf64_Shdr));
    if (!first)
        return false;
    Elf64_Shdr extended = section_header(first, 0);
    if (*count == 0)
        *count = extended.sh_size;
    if (*names == SHN_XINDEX)
        *names = extended.sh_link;
    return true;
}

static struct elf_section section_of(struct file_bytes file, Elf64_Shdr header) {
    bool has_bytes = header.sh_type != SHT_NOBITS && header.sh_type != SHT_NULL;
    return (struct elf_section){
        .name = "",
        .type = header.sh_type,
        .flags = header.sh_flags,
        .address = header.sh_addr,
        .bytes = has_bytes ? file_bytes_at(file, header.sh_offset, header.sh_size) : NULL,
        .size = header.sh_size,
        .link = header.sh_link,
        .info = header.sh_info,
        .entry_size = header.sh_entsize,
    };
}

bool elf_entry(const struct elf_section *section, uint64_t index, void *entry, size_t size) {
    if (!section->bytes || index >= section->size / size)
        return false;
    memcpy(entry, section->bytes + index * size, size);
    return true;
}

/* Requires the table to end with a NUL, as linkers guarantee. Searching for a NUL from each name would take
 * time quadratic in the size of a damaged file. */
const char *elf_string(const struct elf_section *strings, uint64_t offset) {
    if (!strings->bytes || offset >= strings->size || strings->bytes[strings->size - 1] != '\0')
        return "";
    return (const char *)strings->bytes + offset;
}

bool elf_open(struct elf_file *elf, const unsigned char *data, size_t size, struct reason *why) {
    struct file_bytes file = {data, size};
    *elf = (struct elf_file){0};
    if (!check_ident(file, why))
        return false;
    Elf64_Ehdr header;
    memcpy(&header, data, sizeof header);
    if (!check_header(&header, why))
        return false;
    uint64_t count, names;
    const unsigned char *headers = NULL;
    if (section_counts(file, &header, &count, &names) && count <= size / sizeof(Elf64_Shdr))
        headers = file_bytes_at(file, header.e_shoff, count * sizeof(Elf64_Shdr));
    if (!headers || count == 0)
        return reason_set(why, "damaged: the section headers are not in the file");
    elf->type = header.e_type;
    elf->count = count;
    elf->size = size;
    elf->sections = memory_zeros(count, sizeof *elf->sections);
    for (size_t i = 0; i < count; i++)
        elf->sections[i] = section_of(file, section_header(headers, i));
    for (size_t i = 0; names < count && i < count; i++)
        elf->sections[i].name = elf_string(&elf->sections[names], section_header(headers, i).sh_name);
    return true;
}

void elf_close(struct elf_file *elf) {
    free(elf->sections);
    *elf = (struct elf_file){0};
}

const struct elf_section *elf_section_named(const struct elf_file *elf, const char *name) {
    for (size_t i = 0; i < elf->count; i++)
        if (elf->sections[i].bytes && strcmp(elf->sections[i].name, name) == 0)
            return &elf->sections[i];
    return NULL;
}

/* ---- Relocation of a section of a relocatable object, as far as tables and debug information need it. */

struct relocation {
    const struct elf_file *elf;
    const struct elf_section *symbols;
    const struct elf_section *extended; /* section numbers that do not fit into symbols; NULL: none */
    const uint64_t *sizes, *bases;      /* of each section */
};

static const struct elf_section *extended_indices(const struct elf_file *elf, size_t symbol_table) {
    for (size_t i = 0; i < elf->count; i++)
        if (elf->sections[i].type == SHT_SYMTAB_SHNDX && elf->sections[i].link == symbol_table &&
            elf->sections[i].bytes)
            return &elf->sections[i];
    return NULL;
}

static bool symbol_value(const struct relocation *in, uint64_t number, uint64_t *value) {
    Elf64_Sym symbol;
    uint32_t extended = SHN_UNDEF;
    if (!elf_entry(in->symbols, number, &symbol, sizeof symbol))
        return false;
    if (symbol.st_shndx == SHN_XINDEX && in->extended)
        elf_entry(in->extended, number, &extended, sizeof extended);
    uint32_t section = symbol.st_shndx == SHN_XINDEX ? extended : symbol.st_shndx;
    bool is_defined = section != SHN_UNDEF && section < in->elf->count;
    *value = is_defined ? in->bases[section] + symbol.st_value : 0;
    return true;
}

/* Sets the number of bytes that the relocation writes; 0: none. False: unsupported. */
static bool width_of(uint32_t type, size_t *width, bool *is_relative) {
    *is_relative = type == R_X86_64_PC32 || type == R_X86_64_PC64;
    switch (type) {
    case R_X86_64_NONE:
        *width = 0;
        return true;
    case R_X86_64_PC32:
    case R_X86_64_32:
    case R_X86_64_32S:
    case R_X86_64_DTPOFF32:
        *width = 4;
        return true;
    case R_X86_64_PC64:
    case R_X86_64_64:
    case R_X86_64_DTPOFF64:
        *width = 8;
        return true;
    default:
        return false;
    }
}

static bool apply_relocation(const struct relocation *in, Elf64_Rela entry, size_t target,
                             unsigned char *copy, struct reason *why) {
    size_t width;
    bool is_relative;
    if (!width_of(ELF64_R_TYPE(entry.r_info), &width, &is_relative))
        return reason_set(why, "relocation type %u is not supported", (unsigned)ELF64_R_TYPE(entry.r_info));
    uint64_t size = in->sizes[target], value;
    if (entry.r_offset > size || width > size - entry.r_offset)
        return reason_set(why, "damaged: a relocation is outside of its section");
    if (!symbol_value(in, ELF64_R_SYM(entry.r_info), &value))
        return reason_set(why, "damaged: a relocation names a symbol that does not exist");
    value += (uint64_t)entry.r_addend;
    if (is_relative)
        value -= in->bases[target] + entry.r_offset;
    memcpy(copy + entry.r_offset, &value, width);
    return true;
}

static bool apply_all(struct relocation *in, const struct elf_section *entries, unsigned char *copy,
                      struct reason *why) {
    Elf64_Rela entry;
    for (uint64_t i = 0; elf_entry(entries, i, &entry, sizeof entry); i++)
        if (!apply_relocation(in, entry, entries->info, copy, why))
            return false;
    return true;
}

/* A file usually has one symbol table, so its properties are cached. */
static bool use_symbols(struct relocation *in, uint32_t section) {
    if (section >= in->elf->count || !in->elf->sections[section].bytes)
        return false;
    if (in->symbols != &in->elf->sections[section]) {
        in->symbols = &in->elf->sections[section];
        in->extended = extended_indices(in->elf, section);
    }
    return true;
}

bool elf_relocate(const struct elf_file *elf, unsigned char *const *copies, const uint64_t *sizes,
                  const uint64_t *bases, struct reason *why) {
    struct relocation in = {.elf = elf, .sizes = sizes, .bases = bases};
    for (size_t i = 0; i < elf->count; i++) {
        const struct elf_section *entries = &elf->sections[i];
        if (entries->type != SHT_RELA || entries->info >= elf->count || !copies[entries->info])
            continue;
        if (!entries->bytes || !use_symbols(&in, entries->link))
            return reason_set(why, "damaged: relocations without their symbol table");
        if (!apply_all(&in, entries, copies[entries->info], why))
            return false;
    }
    return true;
}

/* ---- Build ids. */

/* Linkers write a section that holds only the build id. A larger section has other contents. */
enum { SECTION_MAX = 1024 };

/* Copies the section, since in a damaged file it may be unaligned, and notes need an alignment of 4. */
static bool find_build_id(const struct elf_section *section, char text[BUILD_ID_SIZE]) {
    _Alignas(8) char notes[SECTION_MAX];
    if (section->type != SHT_NOTE || !section->bytes || section->size > sizeof notes)
        return false;
    memcpy(notes, section->bytes, section->size);
    return elf_notes_find(notes, section->size, 4, build_id_take, text);
}

void elf_build_id(const struct elf_file *elf, char text[BUILD_ID_SIZE]) {
    text[0] = '\0';
    for (size_t i = 0; i < elf->count; i++)
        if (find_build_id(&elf->sections[i], text))
            return;
}
