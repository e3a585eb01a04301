/* What stands for a module where sites have hashes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_PATH_ID_H
#define ALLOCSITE_PATH_ID_H

#include <stdint.h>

/* FNV-1a (RFC 9923). */
static inline uint64_t path_id(const char *path) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *path; path++)
        hash = (hash ^ (unsigned char)*path) * 0x100000001b3u;
    return hash;
}

#endif
