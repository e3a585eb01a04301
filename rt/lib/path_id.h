/* What stands for a module where sites have hashes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_PATH_ID_H
#define ALLOCSITE_PATH_ID_H

#include "fnv.h"

#include <string.h>

static inline uint64_t path_id(const char *path) {
    return fnv_1a(path, strlen(path));
}

#endif
