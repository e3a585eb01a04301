/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the Debian package of a file in dpkg's lists, as dpkg -S does. */
#include "dump/elf/module_files.h"

#include "base/path.h"
#include "dump/base/memory.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_line(const char *text, size_t size, const char *line) {
    size_t length = strlen(line);
    for (const char *end = text + size, *next; text < end; text = next + 1) {
        next = memchr(text, '\n', (size_t)(end - text)) ?: end;
        if ((size_t)(next - text) == length && memcmp(text, line, length) == 0)
            return true;
    }
    return false;
}

/* Lists may have the path that a file had before /bin and /lib became links to folders of /usr. */
static bool lists_file(const char *list, const char *path) {
    struct file_map map;
    struct reason unimportant;
    if (!file_map(&map, list, &unimportant))
        return false;
    bool is_usr = strncmp(path, "/usr/", 5) == 0;
    bool found = has_line(map.bytes, map.size, path) || (is_usr && has_line(map.bytes, map.size, path + 4));
    file_unmap(&map, &unimportant);
    return found;
}

/* Returns "libdwarf1" for "/var/lib/dpkg/info/libdwarf1:amd64.list"; NULL: not a list. */
static char *package_of(const char *list) {
    const char *name = path_base(list), *suffix = strrchr(name, '.'), *architecture = strchr(name, ':');
    if (!suffix || strcmp(suffix, ".list") != 0)
        return NULL;
    return memory_need(strndup(name, (size_t)((architecture ?: suffix) - name)));
}

char *module_package(const char *path, const struct module_search *search) {
    char folder[PATH_MAX], *found = NULL;
    int count = 0;
    snprintf(folder, sizeof folder, "%s/var/lib/dpkg/info", search->sysroot ? search->sysroot : "");
    char **lists = folder_files(folder, &count);
    for (int i = 0; i < count; i++) {
        char *package = found ? NULL : package_of(lists[i]);
        if (package && lists_file(lists[i], path))
            found = package;
        else
            free(package);
        free(lists[i]);
    }
    free(lists);
    return found;
}
