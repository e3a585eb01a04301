/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files of the command line, and the modules in them. */
#include "input.h"

#include "archive.h"
#include "file_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The path of a thin archive's member is relative to the archive's directory. */
static char *member_path(const char *archive, const struct archive_member *member) {
    const char *slash = strrchr(archive, '/');
    bool is_absolute = member->name_size && member->name[0] == '/';
    int directory = slash && !is_absolute ? (int)(slash + 1 - archive) : 0;
    char *path;
    return asprintf(&path, "%.*s%.*s", directory, archive, (int)member->name_size, member->name) < 0 ? NULL
                                                                                                     : path;
}

static bool call_for_outside(const char *path, struct module_bytes module, input_function *function,
                             void *context, struct reason *why) {
    struct file_map map;
    struct reason inner;
    if (!file_map(&map, path, &inner))
        return reason_set(why, "member %s: %s", path, inner.text);
    module.bytes = map.bytes;
    module.size = map.size;
    function(&module, context);
    bool was_cut = file_map_was_cut(&map);
    file_unmap(&map);
    return !was_cut || reason_set(why, "member %s: was cut while it was read", path);
}

static bool call_for_member(const struct module_bytes *archive, const struct archive_member *member,
                            input_function *function, void *context, struct reason *why) {
    char *name, *path = member_path(archive->name, member);
    if (!path || asprintf(&name, "%s(%.*s)", archive->name, (int)member->name_size, member->name) < 0) {
        free(path);
        return reason_set(why, "out of memory");
    }
    bool is_done = true;
    struct module_bytes module = {name, member->bytes, member->size, true};
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
    if (file_map_was_cut(&map))
        is_done = file_map_say_cut(why);
    file_unmap(&map);
    return is_done;
}
