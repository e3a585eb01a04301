/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Manual pages by topic. They are in share/man beside the folder of allocsite-dump, in an installation as in
 * a build tree, so man shows them although they may not be in its path. */
#include "dump/base/terminal.h"
#include "dump/commands/commands.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char sections[] = "7153"; /* in the order of the search */

/* Writes the path of the installation, two names above the executable. */
static bool find_prefix(char *prefix, size_t size) {
    ssize_t length = readlink("/proc/self/exe", prefix, size - 1);
    prefix[length > 0 ? length : 0] = '\0';
    for (int names = 0; names < 2; names++) {
        char *slash = strrchr(prefix, '/');
        if (!slash)
            return false;
        *slash = '\0';
    }
    return true;
}

static bool find_page(char *path, size_t size, const char *prefix, const char *name) {
    for (const char *section = sections; *section; section++)
        for (int is_packed = 0; is_packed <= 1; is_packed++) {
            int length = snprintf(path, size, "%s/share/man/man%c/%s.%c%s", prefix, *section, name, *section,
                                  is_packed ? ".gz" : "");
            if (length > 0 && (size_t)length < size && access(path, R_OK) == 0)
                return true;
        }
    return false;
}

int manual_show(const char *topic) {
    char prefix[PATH_MAX], path[PATH_MAX], name[64];
    const char *form = strncmp(topic, "allocsite", strlen("allocsite")) == 0 ? "%s" : "allocsite-%s";
    int length = snprintf(name, sizeof name, form, topic);
    if (length < 0 || (size_t)length >= sizeof name || !find_prefix(prefix, sizeof prefix) ||
        !find_page(path, sizeof path, prefix, name))
        return MANUAL_NONE;
    execlp("man", "man", "-l", path, NULL);
    return complain(path, "man, which shows this page, cannot be started");
}
