/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The stable 64-bit hash of a site: FNV-1a (Fowler, Noll, Vo: RFC 9923) over a sequence of fields, closed by
 * the 64-bit finalizer of MurmurHash3 (Appleby), which spreads the last bytes over all bits. Every field is
 * delimited, so ("ab", "c") and ("a", "bc") differ. The same on every host. */
#ifndef ALLOCSITE_BASE_STABLE_HASH_H
#define ALLOCSITE_BASE_STABLE_HASH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

uint64_t stable_hash_begin(void);
uint64_t stable_hash_text(uint64_t state, const char *text, size_t length);
uint64_t stable_hash_number(uint64_t state, uint64_t number);
uint64_t stable_hash_end(uint64_t state);

#ifdef __cplusplus
}
#endif

#endif
