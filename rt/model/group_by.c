/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a row is of. */
#include "model/group_by.h"

#include "base/covers.h"

#include <string.h>

static const char *const names[] = {
    [BY_SITE] = "site",     [BY_LINE] = "line",     [BY_FUNCTION] = "function", [BY_FILE] = "file",
    [BY_TYPE] = "type",     [BY_MODULE] = "module", [BY_STACK] = "stack",       [BY_FREED] = "freed",
    [BY_THREAD] = "thread", [BY_PHASE] = "phase",
};
COVERS(names, BYS);

const char *group_by_name(enum group_by by) {
    return names[by];
}

bool group_by_read(const char *name, size_t length, enum group_by *by) {
    for (size_t i = 0; i < BYS; i++)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0) {
            *by = (enum group_by)i;
            return true;
        }
    return false;
}
