/* FNV-1a with 64 bits (RFC 9923).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_FNV_H
#define ALLOCSITE_FNV_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t fnv_1a(const char *bytes, size_t size) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3u;
    return hash;
}

#endif
