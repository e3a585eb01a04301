/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files of the command line, and the modules in them. */
#include "input.h"

#include "archive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct mapping {
    void *bytes;
    size_t size;
};

static bool map_descriptor(int fd, struct mapping *mapping, struct reason *why) {
    struct stat status;
    if (fstat(fd, &status) != 0)
        return reason_set(why, "%s", strerror(errno));
    if (!S_ISREG(status.st_mode))
        return reason_set(why, S_ISDIR(status.st_mode) ? "is a directory" : "not a regular file");
    if (status.st_size == 0)
        return reason_set(why, "is empty");
    mapping->size = (size_t)status.st_size;
    mapping->bytes = mmap(NULL, mapping->size, PROT_READ, MAP_PRIVATE, fd, 0);
    return mapping->bytes != MAP_FAILED || reason_set(why, "%s", strerror(errno));
}

/* Mapped rather than read: of a large program with debug information only the table's pages are touched. */
static bool map_file(const char *path, struct mapping *mapping, struct reason *why) {
    /* O_NONBLOCK: opening a pipe that nobody writes to must not wait. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return reason_set(why, "%s", strerror(errno));
    bool is_mapped = map_descriptor(fd, mapping, why);
    close(fd);
    return is_mapped;
}

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
    struct mapping mapping;
    struct reason inner;
    if (!map_file(path, &mapping, &inner))
        return reason_set(why, "member %s: %s", path, inner.text);
    module.bytes = mapping.bytes;
    module.size = mapping.size;
    function(&module, context);
    munmap(mapping.bytes, mapping.size);
    return true;
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
    struct mapping mapping;
    if (!map_file(path, &mapping, why))
        return false;
    struct module_bytes file = {path, mapping.bytes, mapping.size, false};
    bool is_done = input_each_in(&file, function, context, why);
    munmap(mapping.bytes, mapping.size);
    return is_done;
}
