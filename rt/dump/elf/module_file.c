/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files of a module that a profile names. */
#include "dump/elf/module_file.h"

#include "base/elf_note.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

static bool close_file(struct module_file *file, struct reason *why) {
    if (!file->is_open)
        return true;
    elf_close(&file->elf);
    file->is_open = false;
    return file_unmap(&file->map, why);
}

static bool open_file(struct module_file *file, const char *path, struct reason *why) {
    *file = (struct module_file){.is_open = false};
    if (!file_map(&file->map, path, why))
        return false;
    file->is_open = elf_open(&file->elf, file->map.bytes, file->map.size, why);
    struct reason unimportant;
    if (!file->is_open)
        file_unmap(&file->map, &unimportant);
    return file->is_open;
}

static bool has_build_id(const struct module_file *file, const char *build_id) {
    char found[BUILD_ID_SIZE];
    elf_build_id(&file->elf, found);
    return strcmp(found, build_id) == 0;
}

/* Something else under that name is as good as nothing. build_id: NULL if it is not known. */
static bool open_same(struct module_file *file, const char *path, const char *build_id, struct reason *why) {
    if (!open_file(file, path, why) || !build_id || has_build_id(file, build_id))
        return file->is_open;
    close_file(file, why);
    return reason_set(why, "has changed since the program ran: its build id is another one");
}

static bool open_debug(struct module_files *files, const char *path, const char *build_id) {
    struct reason unimportant;
    return open_same(&files->debug, path, build_id, &unimportant);
}

static bool open_by_build_id(struct module_files *files, const char *build_id, const char *directory) {
    char path[PATH_MAX];
    if (!build_id || strlen(build_id) < 3 || strspn(build_id, "0123456789abcdef") != strlen(build_id))
        return false;
    int length = snprintf(path, sizeof path, "%s/.build-id/%.2s/%s.debug", directory, build_id, build_id + 2);
    return length < (int)sizeof path && open_debug(files, path, build_id);
}

/* The content of .gnu_debuglink: a name, padded to a multiple of 4, and the checksum of the file. */
static bool read_link(const struct elf_file *elf, const char **name, uint32_t *checksum) {
    const struct elf_section *section = elf_section_named(elf, ".gnu_debuglink");
    if (!section || section->size < 2 * sizeof *checksum)
        return false;
    *name = (const char *)section->bytes;
    size_t length = strnlen(*name, section->size);
    size_t at = (length + sizeof *checksum) / sizeof *checksum * sizeof *checksum;
    if (!length || at + sizeof *checksum > section->size || memchr(*name, '/', length))
        return false;
    memcpy(checksum, section->bytes + at, sizeof *checksum);
    return true;
}

static bool open_link(struct module_files *files, const char *path, uint32_t checksum) {
    if (!open_debug(files, path, NULL))
        return false;
    const struct file_map *map = &files->debug.map;
    struct reason unimportant;
    if (crc32_z(0, map->bytes, map->size) == checksum)
        return true;
    close_file(&files->debug, &unimportant);
    return false;
}

static bool open_by_link(struct module_files *files, const char *module, const char *directory) {
    const char *name, *slash = strrchr(module, '/');
    int folder = slash ? (int)(slash - module) : 0;
    uint32_t checksum;
    char path[3][PATH_MAX];
    if (!files->module.is_open || !read_link(&files->module.elf, &name, &checksum))
        return false;
    int lengths[] = {
        snprintf(path[0], sizeof *path, "%.*s/%s", folder, module, name),
        snprintf(path[1], sizeof *path, "%.*s/.debug/%s", folder, module, name),
        snprintf(path[2], sizeof *path, "%s%.*s/%s", directory, folder, module, name),
    };
    for (int i = 0; i < 3; i++)
        if (lengths[i] < PATH_MAX && open_link(files, path[i], checksum))
            return true;
    return false;
}

void module_files_open(struct module_files *files, const char *path, const char *build_id,
                       const char *directory) {
    char found[BUILD_ID_SIZE] = "";
    directory = directory ? directory : MODULE_FILE_DIRECTORY;
    *files = (struct module_files){.why = {""}};
    open_same(&files->module, path, build_id, &files->why);
    if (files->module.is_open && elf_section_named(&files->module.elf, ".debug_info"))
        return;
    if (files->module.is_open && !build_id)
        elf_build_id(&files->module.elf, found);
    if (!open_by_build_id(files, build_id ? build_id : found, directory))
        open_by_link(files, path, directory);
}

bool module_files_close(struct module_files *files, struct reason *why) {
    bool is_whole = close_file(&files->module, why);
    return close_file(&files->debug, why) && is_whole;
}

const struct elf_file *module_files_with(const struct module_files *files, const char *section) {
    if (files->module.is_open && elf_section_named(&files->module.elf, section))
        return &files->module.elf;
    return files->debug.is_open && elf_section_named(&files->debug.elf, section) ? &files->debug.elf : NULL;
}

/* ---- The build id of an ELF file. */

/* Linkers keep it in a section of its own. A larger one is no such section. */
enum { SECTION_MAX = 1024 };

/* A damaged file has its sections anywhere; notes are read at multiples of 4. */
static bool find(const struct elf_section *section, char text[BUILD_ID_SIZE]) {
    _Alignas(8) char notes[SECTION_MAX];
    if (section->type != SHT_NOTE || !section->bytes || section->size > sizeof notes)
        return false;
    memcpy(notes, section->bytes, section->size);
    return elf_notes_find(notes, section->size, 4, build_id_take, text);
}

void elf_build_id(const struct elf_file *elf, char text[BUILD_ID_SIZE]) {
    text[0] = '\0';
    for (size_t i = 0; i < elf->count; i++)
        if (find(&elf->sections[i], text))
            return;
}
