/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opens the debug information of a module for libdwarf. */
#include "dump/debug/handle.h"

#include "dump/base/memory.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Callbacks for libdwarf to access sections. It must not read the file itself, which may be an archive's
 * member or need relocation. */

static int section_info(void *object, Dwarf_Half index, Dwarf_Obj_Access_Section *info, int *error) {
    const struct debug_sections *sections = object;
    (void)error;
    if (index >= sections->elf->count)
        return DW_DLV_NO_ENTRY;
    const struct elf_section *section = &sections->elf->sections[index];
    *info = (Dwarf_Obj_Access_Section){
        .addr = section->address,
        .type = section->type,
        .size = sections->sizes[index],
        .name = section->type == SHT_RELA ? "" : section->name,
        .link = section->link,
        .info = section->info,
        .entrysize = section->entry_size,
    };
    return DW_DLV_OK;
}

static Dwarf_Endianness byte_order(void *object) {
    (void)object;
    return DW_OBJECT_LSB;
}

static Dwarf_Small length_size(void *object) {
    (void)object;
    return 4;
}

static Dwarf_Small pointer_size(void *object) {
    (void)object;
    return 8;
}

static Dwarf_Unsigned section_count(void *object) {
    return ((const struct debug_sections *)object)->elf->count;
}

static int load_section(void *object, Dwarf_Half index, Dwarf_Small **bytes, int *error) {
    (void)error;
    *bytes = (Dwarf_Small *)debug_section_bytes(object, index);
    return *bytes ? DW_DLV_OK : DW_DLV_NO_ENTRY;
}

static const Dwarf_Obj_Access_Methods access_methods = {
    .get_section_info = section_info,
    .get_byte_order = byte_order,
    .get_length_size = length_size,
    .get_pointer_size = pointer_size,
    .get_section_count = section_count,
    .load_section = load_section,
};

/* libdwarf aborts if there is neither an error handler nor an error argument. */
static void ignore_error(Dwarf_Error error, Dwarf_Ptr argument) {
    (void)error;
    (void)argument;
}

bool debug_open(struct debug_handle *handle, const struct elf_file *elf, struct reason *why) {
    Dwarf_Error error = NULL;
    if (!debug_sections_open(&handle->sections, elf, why))
        return false;
    handle->access = (Dwarf_Obj_Access_Interface){&handle->sections, &access_methods};
    if (dwarf_object_init_b(&handle->access, ignore_error, NULL, DW_GROUPNUMBER_ANY, &handle->debug,
                            &error) == DW_DLV_OK)
        return true;
    if (handle->sections.damage.text[0])
        reason_set(why, "%s", handle->sections.damage.text);
    else
        reason_set(why, "libdwarf cannot read its debug information: %s",
                   error ? dwarf_errmsg(error) : "no units");
    if (error)
        dwarf_dealloc_error(NULL, error);
    debug_sections_close(&handle->sections);
    return false;
}

bool debug_close(struct debug_handle *handle, struct reason *why) {
    struct reason damage = handle->sections.damage;
    dwarf_object_finish(handle->debug, NULL);
    debug_sections_close(&handle->sections);
    return !damage.text[0] || reason_set(why, "%s", damage.text);
}

Dwarf_Die debug_child_of(Dwarf_Die parent) {
    Dwarf_Die die;
    return dwarf_child(parent, &die, NULL) == DW_DLV_OK ? die : NULL;
}

Dwarf_Die debug_next_of(Dwarf_Debug debug, Dwarf_Die die, bool is_wanted) {
    Dwarf_Die next;
    bool has_next = is_wanted && dwarf_siblingof_b(debug, die, 1, &next, NULL) == DW_DLV_OK;
    dwarf_dealloc(debug, die, DW_DLA_DIE);
    return has_next ? next : NULL;
}

Dwarf_Half debug_tag(Dwarf_Die die) {
    Dwarf_Half tag;
    return dwarf_tag(die, &tag, NULL) == DW_DLV_OK ? tag : 0;
}

bool debug_is_record(Dwarf_Half tag) {
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

bool debug_has_attribute(Dwarf_Die die, Dwarf_Half attribute) {
    Dwarf_Bool has = 0;
    return dwarf_hasattr(die, attribute, &has, NULL) == DW_DLV_OK && has;
}

const char *debug_text(Dwarf_Die die, Dwarf_Half attribute) {
    char *text;
    return dwarf_die_text(die, attribute, &text, NULL) == DW_DLV_OK ? text : NULL;
}

/* libdwarf reads forms that may be negative only as signed numbers. */
static bool read_constant(Dwarf_Attribute attribute, uint64_t *number) {
    Dwarf_Unsigned plain;
    Dwarf_Signed with_sign;
    if (dwarf_formudata(attribute, &plain, NULL) == DW_DLV_OK) {
        *number = plain;
        return true;
    }
    if (dwarf_formsdata(attribute, &with_sign, NULL) != DW_DLV_OK || with_sign < 0)
        return false;
    *number = (uint64_t)with_sign;
    return true;
}

bool debug_constant(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Half name, uint64_t *number) {
    Dwarf_Attribute attribute;
    if (dwarf_attr(die, name, &attribute, NULL) != DW_DLV_OK)
        return false;
    bool is_read = read_constant(attribute, number);
    dwarf_dealloc(debug, attribute, DW_DLA_ATTR);
    return is_read;
}

uint64_t debug_number(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Half name) {
    uint64_t number;
    return debug_constant(debug, die, name, &number) ? number : 0;
}

bool debug_reference(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Half name, Dwarf_Off *offset) {
    Dwarf_Attribute attribute;
    if (dwarf_attr(die, name, &attribute, NULL) != DW_DLV_OK)
        return false;
    bool is_read = dwarf_global_formref(attribute, offset, NULL) == DW_DLV_OK;
    dwarf_dealloc(debug, attribute, DW_DLA_ATTR);
    return is_read;
}

size_t debug_each_unit(Dwarf_Debug debug, debug_unit_function *take, void *context) {
    Dwarf_Unsigned length, abbreviations, type_offset, next;
    Dwarf_Half version, address_size, offset_size, extension_size, unit_type;
    Dwarf_Sig8 signature;
    size_t count = 0;
    while (dwarf_next_cu_header_d(debug, 1, &length, &version, &abbreviations, &address_size, &offset_size,
                                  &extension_size, &signature, &type_offset, &next, &unit_type,
                                  NULL) == DW_DLV_OK) {
        Dwarf_Die unit;
        if (dwarf_siblingof_b(debug, NULL, 1, &unit, NULL) != DW_DLV_OK)
            continue;
        count++;
        bool has_id = unit_type == DW_UT_skeleton || unit_type == DW_UT_split_compile;
        struct debug_unit_head head = {unit_type == DW_UT_type || unit_type == DW_UT_split_type, 0};
        if (has_id)
            memcpy(&head.split_id, signature.signature, sizeof head.split_id);
        if (!head.split_id) /* before DWARF 5 */
            head.split_id = debug_number(debug, unit, DW_AT_GNU_dwo_id);
        take(context, unit, &head);
        dwarf_dealloc(debug, unit, DW_DLA_DIE);
    }
    return count;
}

bool debug_is_split(Dwarf_Die unit) {
    return debug_has_attribute(unit, DW_AT_dwo_name) || debug_has_attribute(unit, DW_AT_GNU_dwo_name);
}

bool debug_is_transparent(Dwarf_Half tag) {
    return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_lexical_block ||
           tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

bool debug_has_code(Dwarf_Die die) {
    return debug_has_attribute(die, DW_AT_low_pc) || debug_has_attribute(die, DW_AT_ranges);
}

bool debug_next_origin(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Off *offset) {
    return debug_reference(debug, die, DW_AT_abstract_origin, offset) ||
           debug_reference(debug, die, DW_AT_specification, offset);
}

/* A concrete entry refers to the abstract function, and that to the declaration in its class. Each name is in
 * one of these sections. */
struct debug_names debug_function_names(Dwarf_Debug debug, Dwarf_Off offset) {
    enum { HOPS_MAX = 8 };
    struct debug_names names = {NULL, NULL};
    bool has_next = true;
    for (int hops = 0; has_next && (!names.plain || !names.linkage) && hops < HOPS_MAX; hops++) {
        Dwarf_Die die;
        if (dwarf_offdie_b(debug, offset, 1, &die, NULL) != DW_DLV_OK)
            break;
        names.plain = names.plain ?: debug_text(die, DW_AT_name);
        names.linkage = names.linkage ?: debug_text(die, DW_AT_linkage_name)
                                      ?: debug_text(die, DW_AT_MIPS_linkage_name);
        has_next = debug_next_origin(debug, die, &offset);
        dwarf_dealloc(debug, die, DW_DLA_DIE);
    }
    return names;
}

const char *debug_line_directory(Dwarf_Line_Context lines, Dwarf_Unsigned index) {
    const char *directory = NULL;
    return dwarf_srclines_include_dir_data(lines, (Dwarf_Signed)index, &directory, NULL) == DW_DLV_OK
               ? directory
               : NULL;
}

void debug_each_row(struct debug_handle *handle, Dwarf_Die unit, line_row_function *take, void *context) {
    const struct elf_file *elf = handle->sections.elf;
    Dwarf_Off offset;
    if (!debug_reference(handle->debug, unit, DW_AT_stmt_list, &offset))
        return;
    for (size_t i = 0; i < elf->count; i++) {
        if (elf->sections[i].type == SHT_RELA || strcmp(elf->sections[i].name, ".debug_line") != 0)
            continue;
        const unsigned char *bytes = debug_section_bytes(&handle->sections, i);
        if (bytes)
            line_program_run(bytes, handle->sections.sizes[i], offset, take, context);
    }
}

/* ---- The debug sections of a module. */

#ifdef ALLOCSITE_HAVE_ZSTD
#include <zstd.h>
#endif

/* ELFCOMPRESS_ZSTD, which older elf.h lack. */
enum { COMPRESS_ZSTD = 2 };

static bool is_debug(const struct elf_section *section) {
    return strncmp(section->name, ".debug_", strlen(".debug_")) == 0 && section->type != SHT_RELA &&
           section->bytes;
}

static bool has_debug_info(const struct elf_file *elf) {
    for (size_t i = 0; i < elf->count; i++)
        if ((strcmp(elf->sections[i].name, ".debug_info") == 0 ||
             strcmp(elf->sections[i].name, ".debug_info.dwo") == 0) &&
            is_debug(&elf->sections[i]))
            return true;
    return false;
}

static bool check_compression(const struct elf_section *section, Elf64_Chdr *header, struct reason *why) {
    /* The largest compression ratio of zlib; debug information does not reach it with other methods
     * either. */
    enum { RATIO_MAX = 1032 };
    if (section->size < sizeof *header)
        return reason_set(why, "its compressed section %s is truncated", section->name);
    memcpy(header, section->bytes, sizeof *header);
    if (header->ch_size / RATIO_MAX > section->size)
        return reason_set(why, "its compressed section %s is damaged", section->name);
    return true;
}

static bool inflate_section(unsigned char *to, uint64_t size, const unsigned char *from, uint64_t from_size) {
    uLongf got = size;
    return uncompress(to, &got, from, from_size) == Z_OK && got == size;
}

static bool debug_unpack(const struct elf_section *section, const Elf64_Chdr *header, unsigned char *to,
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
        return reason_set(
            why,
            "its debug information is compressed with zstd, but this allocsite-dump was built without zstd");
#endif
    return is_unpacked || reason_set(why, "its compressed section %s is damaged", section->name);
}

/* libdwarf's interface cannot say that a section is compressed. */
static bool debug_decompress(struct debug_sections *sections, size_t index, struct reason *why) {
    const struct elf_section *section = &sections->elf->sections[index];
    Elf64_Chdr header;
    if (!check_compression(section, &header, why))
        return false;
    sections->copies[index] = memory_zeros(header.ch_size, 1);
    return debug_unpack(section, &header, sections->copies[index], why);
}

/* Sets the size of a section. Copies the bytes of a relocatable object. */
static bool open_section(struct debug_sections *sections, size_t index, uint64_t *left, struct reason *why) {
    const struct elf_section *section = &sections->elf->sections[index];
    bool is_copied = sections->elf->type == ET_REL;
    Elf64_Chdr header;
    if (section->size > *left)
        return reason_set(why, "its debug sections overlap");
    *left -= section->size;
    if (section->flags & SHF_COMPRESSED) {
        if (!check_compression(section, &header, why))
            return false;
        sections->sizes[index] = header.ch_size;
        return !is_copied || debug_decompress(sections, index, why);
    }
    if (is_copied)
        sections->copies[index] = memory_copy(section->bytes, section->size);
    return true;
}

static bool open_sections(struct debug_sections *sections, struct reason *why) {
    const struct elf_file *elf = sections->elf;
    uint64_t left = elf->size;
    for (size_t i = 0; i < elf->count; i++) {
        sections->sizes[i] = elf->sections[i].bytes ? elf->sections[i].size : 0;
        if (is_debug(&elf->sections[i]) && !open_section(sections, i, &left, why))
            return false;
    }
    return true;
}

/* References between debug sections are offsets, so every section has address 0. */
static bool debug_relocate(struct debug_sections *sections, struct reason *why) {
    uint64_t *bases = memory_zeros(sections->elf->count, sizeof *bases);
    bool is_done = elf_relocate(sections->elf, sections->copies, sections->sizes, bases, why);
    free(bases);
    return is_done;
}

bool debug_sections_open(struct debug_sections *sections, const struct elf_file *elf, struct reason *why) {
    *sections = (struct debug_sections){.elf = elf};
    if (!has_debug_info(elf))
        return reason_set(why, "it has no debug information (compile with -g)");
    sections->copies = memory_zeros(elf->count, sizeof *sections->copies);
    sections->sizes = memory_zeros(elf->count, sizeof *sections->sizes);
    if (open_sections(sections, why) && (elf->type != ET_REL || debug_relocate(sections, why)))
        return true;
    debug_sections_close(sections);
    return false;
}

void debug_sections_close(struct debug_sections *sections) {
    for (size_t i = 0; sections->copies && i < sections->elf->count; i++)
        free(sections->copies[i]);
    free(sections->copies);
    free(sections->sizes);
    *sections = (struct debug_sections){0};
}

const unsigned char *debug_section_bytes(struct debug_sections *sections, size_t index) {
    const struct elf_section *section = &sections->elf->sections[index];
    bool is_packed = is_debug(section) && section->flags & SHF_COMPRESSED;
    if (is_packed && !sections->copies[index] && !debug_decompress(sections, index, &sections->damage)) {
        free(sections->copies[index]);
        sections->copies[index] = NULL;
    }
    return is_packed ? sections->copies[index] : sections->copies[index] ?: section->bytes;
}
