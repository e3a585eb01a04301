/* What stands for a caller where sites have hashes: the same as long as its module is.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_CALLER_ID_H
#define ALLOCSITE_CALLER_ID_H

#include "path_id.h"

/* build_id: of its module, "" if that has none. address: as the module's file has it. */
static inline uint64_t caller_id(const char *build_id, const char *path, uint64_t address) {
    uint64_t parts[] = {path_id(build_id[0] ? build_id : path), address};
    return fnv_1a((const char *)parts, sizeof parts);
}

#endif
