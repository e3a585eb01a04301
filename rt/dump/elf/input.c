/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opens files of the command line and the modules in them. */
#include "dump/elf/input.h"

#include "dump/base/files.h"
#include "dump/base/memory.h"

#include <ar.h>
#include <stdlib.h>
#include <string.h>

/* The path of a thin archive's member is relative to the archive's folder. */
static char *member_path(const char *archive, const struct archive_member *member) {
    const char *slash = strrchr(archive, '/');
    bool is_absolute = member->name_size && member->name[0] == '/';
    int directory = slash && !is_absolute ? (int)(slash + 1 - archive) : 0;
    return memory_text("%.*s%.*s", directory, archive, (int)member->name_size, member->name);
}

static bool call_for_outside(const char *path, struct module_bytes module, input_function *function,
                             void *context, struct reason *why) {
    struct file_map map;
    struct reason inner;
    bool is_mapped = file_map(&map, path, &inner);
    if (is_mapped) {
        module.bytes = map.bytes;
        module.size = map.size;
        function(&module, context);
        is_mapped = file_unmap(&map, &inner);
    }
    return is_mapped || reason_set(why, "member %s: %s", path, inner.text);
}

static bool call_for_member(const struct module_bytes *archive, const struct archive_member *member,
                            input_function *function, void *context, struct reason *why) {
    char *path = member_path(archive->name, member);
    char *name = memory_text("%s(%.*s)", archive->name, (int)member->name_size, member->name);
    struct module_bytes module = {name, member->bytes, member->size, true};
    bool is_done = true;
    if (member->bytes)
        function(&module, context);
    else
        is_done = call_for_outside(path, module, function, context, why);
    free(name);
    free(path);
    return is_done;
}

bool input_each_in(const struct module_bytes *file, input_function *function, void *context,
                   struct reason *why) {
    struct archive archive;
    struct archive_member member;
    if (!archive_open(&archive, file->bytes, file->size)) {
        function(file, context);
        return true;
    }
    enum archive_step step;
    while ((step = archive_next(&archive, &member, why)) == ARCHIVE_MEMBER)
        if (!call_for_member(file, &member, function, context, why))
            return false;
    return step == ARCHIVE_END;
}

bool input_each(const char *path, input_function *function, void *context, struct reason *why) {
    struct file_map map;
    if (!file_map(&map, path, why))
        return false;
    struct module_bytes file = {path, map.bytes, map.size, false};
    bool is_done = input_each_in(&file, function, context, why);
    return file_unmap(&map, why) && is_done;
}

/* ---- Members of ar archives. */

#define THIN_MAGIC "!<thin>\n"

bool archive_open(struct archive *archive, const unsigned char *bytes, size_t size) {
    *archive = (struct archive){.bytes = bytes, .size = size, .next = SARMAG};
    if (size < SARMAG)
        return false;
    archive->is_thin = memcmp(bytes, THIN_MAGIC, SARMAG) == 0;
    return archive->is_thin || memcmp(bytes, ARMAG, SARMAG) == 0;
}

/* Reads a decimal number in a field padded with spaces. */
static bool read_number(const char *field, size_t width, size_t *number) {
    size_t at = 0;
    *number = 0;
    while (at < width && field[at] >= '0' && field[at] <= '9')
        *number = *number * 10 + (size_t)(field[at++] - '0');
    return at > 0 && (at == width || field[at] == ' ');
}

static bool is_special(const struct ar_hdr *header, const char *name) {
    size_t length = strlen(name);
    return memcmp(header->ar_name, name, length) == 0 && header->ar_name[length] == ' ';
}

/* GNU format: long names end with "/\n". */
static bool long_name(const struct archive *archive, size_t offset, struct archive_member *member) {
    if (offset >= archive->long_names_size)
        return false;
    member->name = archive->long_names + offset;
    const char *end = memchr(member->name, '\n', archive->long_names_size - offset);
    if (!end || end == member->name)
        return false;
    member->name_size = (size_t)(end - member->name) - (end[-1] == '/');
    return true;
}

/* BSD format: the contents begin with the name. */
static bool leading_name(size_t length, struct archive_member *member) {
    if (!member->bytes || length > member->size)
        return false;
    member->name = (const char *)member->bytes;
    member->name_size = strnlen(member->name, length);
    member->bytes += length;
    member->size -= length;
    return true;
}

static bool name_member(const struct archive *archive, const struct ar_hdr *header,
                        struct archive_member *member) {
    size_t number;
    const char *name = header->ar_name;
    if (name[0] == '/' && read_number(name + 1, sizeof header->ar_name - 1, &number))
        return long_name(archive, number, member);
    if (memcmp(name, "#1/", 3) == 0 && read_number(name + 3, sizeof header->ar_name - 3, &number))
        return leading_name(number, member);
    const char *end = memchr(name, '/', sizeof header->ar_name);
    member->name = name;
    member->name_size = end ? (size_t)(end - name) : sizeof header->ar_name;
    return true;
}

/* BSD's symbol table is named like a member. */
static bool is_symbol_table(const struct archive_member *member) {
    static const char name[] = "__.SYMDEF";
    return member->name_size >= strlen(name) && memcmp(member->name, name, strlen(name)) == 0;
}

/* Reads the header at archive->next and advances past the member's contents. */
static const struct ar_hdr *next_header(struct archive *archive, struct archive_member *member) {
    size_t left = archive->size - archive->next;
    if (left < sizeof(struct ar_hdr))
        return NULL;
    const struct ar_hdr *header = (const void *)(archive->bytes + archive->next);
    if (memcmp(header->ar_fmag, ARFMAG, sizeof header->ar_fmag) != 0 ||
        !read_number(header->ar_size, sizeof header->ar_size, &member->size))
        return NULL;
    archive->next += sizeof *header;
    bool is_outside = archive->is_thin && !is_special(header, "/") && !is_special(header, "//") &&
                      !is_special(header, "/SYM64/");
    member->bytes = is_outside ? NULL : archive->bytes + archive->next;
    if (is_outside)
        return header;
    if (member->size > archive->size - archive->next)
        return NULL;
    archive->next += member->size;
    archive->next += archive->next % 2 && archive->next < archive->size;
    return header;
}

enum archive_step archive_next(struct archive *archive, struct archive_member *member, struct reason *why) {
    while (archive->next < archive->size) {
        const struct ar_hdr *header = next_header(archive, member);
        if (!header) {
            reason_set(why, "damaged archive: bad member header at byte %zu", archive->next);
            return ARCHIVE_DAMAGED;
        }
        if (is_special(header, "//")) {
            archive->long_names = (const char *)member->bytes;
            archive->long_names_size = member->size;
        } else if (!is_special(header, "/") && !is_special(header, "/SYM64/")) {
            if (!name_member(archive, header, member)) {
                reason_set(why, "damaged archive: a member's name is not in it");
                return ARCHIVE_DAMAGED;
            }
            if (!is_symbol_table(member))
                return ARCHIVE_MEMBER;
        }
    }
    return ARCHIVE_END;
}
