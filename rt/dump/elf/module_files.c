/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opens the files of a module that a profile names. */
#include "dump/elf/module_files.h"

#include "base/path.h"
#include "dump/base/memory.h"
#include "dump/elf/unpack.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

bool module_file_close(struct module_file *file, struct reason *why) {
    if (!file->is_open)
        return true;
    elf_close(&file->elf);
    file->is_open = false;
    return file_unmap(&file->map, why);
}

bool module_file_open(struct module_file *file, const char *path, struct reason *why) {
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

/* Opens the file if its build id is right. build_id: NULL if unknown. */
static bool open_same(struct module_file *file, const char *path, const char *build_id, struct reason *why) {
    if (!module_file_open(file, path, why) || !build_id || has_build_id(file, build_id))
        return file->is_open;
    module_file_close(file, why);
    return reason_set(why, "has changed since the program ran: its build id differs");
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

/* Decodes .gnu_debuglink: a name, padded to a multiple of 4, and the file's checksum. */
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
    module_file_close(&files->debug, &unimportant);
    return false;
}

/* file: where the module was opened; path: its path in the profile, which the debug directory repeats. */
static bool open_by_link(struct module_files *files, const char *file, const char *path,
                         const char *directory) {
    const char *name;
    uint32_t checksum;
    char places[3][PATH_MAX];
    if (!files->module.is_open || !read_link(&files->module.elf, &name, &checksum))
        return false;
    int folder = (int)(path_base(file) - file), below = (int)(path_base(path) - path);
    int lengths[] = {
        snprintf(places[0], PATH_MAX, "%.*s%s", folder, file, name),
        snprintf(places[1], PATH_MAX, "%.*s.debug/%s", folder, file, name),
        snprintf(places[2], PATH_MAX, "%s%.*s%s", directory, below, path, name),
    };
    for (int i = 0; i < 3; i++)
        if (lengths[i] < PATH_MAX && open_link(files, places[i], checksum))
            return true;
    return false;
}

/* Checks the build id of the downloaded file. */
static bool open_fetched(struct module_files *files, const char *build_id) {
    char *path = debuginfod_fetch(build_id);
    bool is_open = path && open_debug(files, path, build_id);
    free(path);
    return is_open;
}

/* Opens the compressed symbol table of a stripped module. */
static void open_mini(struct module_files *files) {
    const struct elf_section *packed =
        files->module.is_open ? elf_section_named(&files->module.elf, ".gnu_debugdata") : NULL;
    struct reason unimportant;
    size_t size;
    if (!packed || !(files->unpacked = mini_debug_unpack(packed->bytes, packed->size, &size)))
        return;
    files->has_mini = elf_open(&files->mini, files->unpacked, size, &unimportant);
}

static void open_separate(struct module_files *files, const char *path, const char *build_id,
                          const struct module_search *search) {
    char directory[PATH_MAX];
    const char *root = search->sysroot ? search->sysroot : "";
    if (search->debug_directory)
        snprintf(directory, sizeof directory, "%s", search->debug_directory);
    else
        snprintf(directory, sizeof directory, "%s%s", root, MODULE_FILE_DIRECTORY);
    if (!open_by_build_id(files, build_id, directory) && !open_by_link(files, files->path, path, directory) &&
        !search->stays_local)
        open_fetched(files, build_id);
}

void module_files_open(struct module_files *files, const char *path, const char *build_id,
                       const struct module_search *search) {
    static const struct module_search everywhere;
    char found[BUILD_ID_SIZE] = "";
    search = search ? search : &everywhere;
    *files = (struct module_files){.why = {""}};
    files->path = memory_text("%s%s", search->sysroot ? search->sysroot : "", path);
    open_same(&files->module, files->path, build_id, &files->why);
    if (files->module.is_open && !build_id)
        elf_build_id(&files->module.elf, found);
    open_mini(files);
    if (!files->module.is_open || !elf_section_named(&files->module.elf, ".debug_info"))
        open_separate(files, path, build_id ? build_id : found, search);
}

bool module_files_close(struct module_files *files, struct reason *why) {
    bool is_whole = module_file_close(&files->module, why);
    if (files->has_mini)
        elf_close(&files->mini);
    free(files->unpacked);
    free(files->path);
    return module_file_close(&files->debug, why) && is_whole;
}

bool module_files_have_symbols(const struct module_files *files) {
    return files->has_mini || module_files_with(files, ".symtab") || module_files_with(files, ".debug_info");
}

const struct elf_file *module_files_with(const struct module_files *files, const char *section) {
    if (files->module.is_open && elf_section_named(&files->module.elf, section))
        return &files->module.elf;
    if (files->debug.is_open && elf_section_named(&files->debug.elf, section))
        return &files->debug.elf;
    return files->has_mini && elf_section_named(&files->mini, section) ? &files->mini : NULL;
}
