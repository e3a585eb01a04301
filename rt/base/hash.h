/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Hashes: 64-bit hashes of numbers for tables in memory, and hashes that are stored in files. */
#ifndef ALLOCSITE_BASE_HASH_H
#define ALLOCSITE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Multiplies to 128 bits and folds the halves (wyhash's step): one multiplication mixes like two. */
static inline uint64_t hash_more(uint64_t hash, uint64_t value) {
    unsigned __int128 product =
        (unsigned __int128)(hash ^ 0x9E3779B97F4A7C15u) * (value ^ 0xE7037ED1A0B428DBu);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* ---- FNV-1a with 64 bits (RFC 9923). */

#define FNV_1A_BASIS 0xcbf29ce484222325u

/* Continues a hash with further bytes. */
static inline uint64_t fnv_1a_more(uint64_t hash, const char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3u;
    return hash;
}

static inline uint64_t fnv_1a(const char *bytes, size_t size) {
    return fnv_1a_more(FNV_1A_BASIS, bytes, size);
}

/* ---- The id of a module, used like the hash of a site. */

static inline uint64_t path_id(const char *path) {
    return fnv_1a(path, strlen(path));
}

/* ---- The id of a caller, used like the hash of a site. Stable as long as the module is unchanged. */

/* build_id: of its module; "": none. address: relative to the module's file. */
static inline uint64_t caller_id(const char *build_id, const char *path, uint64_t address) {
    uint64_t parts[] = {path_id(build_id[0] ? build_id : path), address};
    return fnv_1a((const char *)parts, sizeof parts);
}

/* The id of a call path, as stable as the ids of its parts: the id of the row, continued by this for each
 * return address outwards. */
static inline uint64_t path_id_more(uint64_t id, const char *build_id, const char *path, uint64_t address) {
    return hash_more(id, caller_id(build_id, path, address));
}

/* ---- The stable hash of a site. Builds are compared by it, so it is the same on every host and in every
 * version. */

/* FNV-1a over a sequence of fields, closed by the 64-bit finalizer of MurmurHash3 (Appleby), which spreads
 * the last bytes over all bits. Every field is delimited, so ("ab", "c") and ("a", "bc") differ. */
static inline uint64_t stable_hash_begin(void) {
    return FNV_1A_BASIS;
}

static inline uint64_t stable_hash_number(uint64_t state, uint64_t number) {
    char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (char)(number >> 8 * i);
    return fnv_1a_more(state, bytes, sizeof bytes);
}

static inline uint64_t stable_hash_text(uint64_t state, const char *text, size_t length) {
    return fnv_1a_more(stable_hash_number(state, length), text, length);
}

static inline uint64_t stable_hash_end(uint64_t state) {
    state = (state ^ (state >> 33)) * 0xff51afd7ed558ccdu;
    state = (state ^ (state >> 33)) * 0xc4ceb9fe1a85ec53u;
    return state ^ (state >> 33);
}

#endif
