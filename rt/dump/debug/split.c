/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads split debug information. */
#include "dump/debug/split.h"

#include "base/path.h"
#include "dump/base/memory.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void split_open(struct split *split, const struct elf_file *elf, const char *module, const char *sysroot) {
    *split = (struct split){.elf = elf, .module = module, .sysroot = sysroot};
}

static bool has_skeletons(struct split *split) {
    struct reason unimportant;
    if (!split->has_skeletons && !split->lacks_skeletons)
        split->has_skeletons = debug_open(&split->skeletons, split->elf, &unimportant);
    split->lacks_skeletons = !split->has_skeletons;
    return split->has_skeletons;
}

static void close_split_file(struct split_file *file) {
    struct reason unimportant;
    if (file->is_open)
        debug_close(&file->handle, &unimportant);
    module_file_close(&file->file, &unimportant);
    file->is_open = false;
}

/* A split file refers by index to addresses in the module. */
static bool open_split_file(struct split *split, struct split_file *file, const char *path) {
    struct reason unimportant;
    close_split_file(file);
    if (!has_skeletons(split) || !module_file_open(&file->file, path, &unimportant))
        return false;
    file->is_open = debug_open(&file->handle, &file->file.elf, &unimportant);
    if (!file->is_open)
        close_split_file(file);
    else
        dwarf_set_tied_dbg(file->handle.debug, split->skeletons.debug, NULL);
    return file->is_open;
}

static void put_unit_back(struct split *split) {
    if (split->die)
        dwarf_dealloc_die(split->die);
    split->die = NULL;
}

void split_close(struct split *split) {
    struct reason unimportant;
    put_unit_back(split);
    close_split_file(&split->unit);
    close_split_file(&split->package);
    if (split->has_skeletons)
        debug_close(&split->skeletons, &unimportant);
}

/* ---- The files. */

static bool open_package(struct split *split) {
    char path[PATH_MAX];
    if (split->was_package_tried)
        return split->package.is_open;
    split->was_package_tried = true;
    int length = snprintf(path, sizeof path, "%s.dwp", split->module);
    return length < (int)sizeof path && open_split_file(split, &split->package, path);
}

/* Searches where the compiler wrote the file, first below the system root, then in the module's directory. */
static bool open_unit_file(struct split *split, Dwarf_Die skeleton) {
    const char *name = debug_text(skeleton, DW_AT_dwo_name) ?: debug_text(skeleton, DW_AT_GNU_dwo_name);
    const char *directory = debug_text(skeleton, DW_AT_comp_dir);
    int folder = (int)(path_base(split->module) - split->module);
    bool is_relative = name && name[0] != '/';
    char paths[3][PATH_MAX];
    if (!name)
        return false;
    int lengths[] = {
        snprintf(paths[0], PATH_MAX, "%s%s%s%s", split->sysroot ?: "",
                 is_relative && directory ? directory : "", is_relative && directory ? "/" : "", name),
        snprintf(paths[1], PATH_MAX, "%s%s%s", is_relative && directory ? directory : "",
                 is_relative && directory ? "/" : "", name),
        snprintf(paths[2], PATH_MAX, "%.*s%s", folder, split->module, path_base(name)),
    };
    for (int i = 0; i < 3; i++)
        if (lengths[i] < PATH_MAX && open_split_file(split, &split->unit, paths[i]))
            return true;
    return false;
}

/* ---- The unit. */

struct wanted {
    uint64_t id;
    Dwarf_Debug debug;
    Dwarf_Off offset;
    bool is_found;
};

static void compare_unit(void *context, Dwarf_Die unit, const struct debug_unit_head *head) {
    struct wanted *wanted = context;
    if (!wanted->is_found && !head->is_of_types && head->split_id == wanted->id)
        wanted->is_found = dwarf_dieoffset(unit, &wanted->offset, NULL) == DW_DLV_OK;
}

static Dwarf_Die find_unit(const struct split_file *file, uint64_t id) {
    struct wanted wanted = {.id = id, .debug = file->handle.debug};
    Dwarf_Die die;
    debug_each_unit(wanted.debug, compare_unit, &wanted);
    return wanted.is_found && dwarf_offdie_b(wanted.debug, wanted.offset, 1, &die, NULL) == DW_DLV_OK ? die
                                                                                                      : NULL;
}

/* libdwarf of 2021 crashes in packages of DWARF 4. */
static bool is_old(Dwarf_Die unit) {
    Dwarf_Half version = 0, offset_size;
    dwarf_get_version_of_die(unit, &version, &offset_size);
    return version < 5;
}

Dwarf_Die split_unit(struct split *split, Dwarf_Die skeleton, uint64_t id, Dwarf_Debug *debug) {
    put_unit_back(split);
    const struct split_file *file = &split->package;
    if (!is_old(skeleton) && open_package(split))
        split->die = find_unit(file, id);
    if (!split->die && open_unit_file(split, skeleton)) {
        file = &split->unit;
        split->die = find_unit(file, id);
    }
    *debug = file->handle.debug;
    return split->die;
}
