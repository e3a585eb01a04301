/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The contract between the plugin (writes), the runtime (counts) and allocsite-dump (reads).
 *
 * A module compiled with the plugin contains a site table: descriptors in one section, and shared data in
 * others. Every reference is the signed distance in bytes from its own field to its target, so the table
 * needs no dynamic relocations and costs nothing at load time.
 *
 *   allocsite_sites    struct allocsite_site[]                  writable (the runtime stores `key`)
 *   allocsite_frames   scopes, frames, requests, calls, in any   read only
 *                      order, and strings that no other object has
 *   allocsite_strings  NUL-terminated UTF-8                      read only, merged by the linker
 *   allocsite_functions struct allocsite_function[]              read only, for allocsite-dump alone
 *   allocsite_calls    struct allocsite_calls[]                  read only, for allocsite-dump alone
 *
 * Grouping: the descriptors of a function are in the function's comdat and linked to its code
 * (SHF_LINK_ORDER), so a linker that drops the function drops its sites. Functions that share a section,
 * which linkers do not divide, share a group. The entries of functions are always kept (SHF_GNU_RETAIN): a
 * function that was inlined everywhere is still part of inline chains.
 *
 * Numbers are in the byte order of the module. In a relocatable object, references are PC-relative
 * relocations. A site may occur twice (a library opened twice, LTO code mixed with other objects): two
 * descriptors are the same site if hash, function, file, line, column and callee agree. */
#ifndef ALLOCSITE_FORMAT_H
#define ALLOCSITE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Part of each descriptor and function. PROFILE_VERSION (profile.h) has the rule for changes: allocsite-dump
 * refuses tables of another version, and the runtime counts their sites for the module and reports that. */
#define ALLOCSITE_FORMAT_VERSION 1

/* The names of the runtime's entry points contain a number, which changes whenever their arguments change, so
 * that an object never links or loads with an incompatible runtime. They also contain the library's name, so
 * that a linker's error says which library is missing. */
#define ALLOCSITE_ENTRY(name)       __liballocsite_v1_##name
#define ALLOCSITE_ENTRY_PREFIX      "__liballocsite_v1_"

#define ALLOCSITE_SITES_SECTION     "allocsite_sites"
#define ALLOCSITE_FRAMES_SECTION    "allocsite_frames"
#define ALLOCSITE_STRINGS_SECTION   "allocsite_strings"
#define ALLOCSITE_FUNCTIONS_SECTION "allocsite_functions"
#define ALLOCSITE_CALLS_SECTION     "allocsite_calls"

/* Distance in bytes from this field to its target; 0: none. */
typedef int32_t allocsite_ref;

/* A function, and a file that contains code of it (a body may span several files by #include). */
struct allocsite_scope {
    allocsite_ref function; /* string: demangled name, with parameters if debug information has them */
    allocsite_ref file;     /* string: path, as -ffile-prefix-map leaves it */
};

/* A link of an inline chain: the call at line:column of scope was inlined. */
struct allocsite_frame {
    allocsite_ref scope;  /* struct allocsite_scope */
    allocsite_ref caller; /* struct allocsite_frame: the next link outwards; 0: not inlined further */
    uint32_t line;        /* 0: unknown */
    uint32_t column;      /* 0: unknown */
};

/* The request of a site. */
struct allocsite_request {
    allocsite_ref callee; /* string: as in the source, "malloc", "operator new[]" */
    allocsite_ref type;   /* string: the type allocated; 0: unknown */
};

/* The type of untyped memory. It says that the line names no type, and any type of another line is more
 * specific. */
#define ALLOCSITE_BYTES "bytes"

/* Returns whether the type says nothing about the use of the memory, so that a type known by a caller is
 * preferred. NULL and "": unknown. */
static inline bool allocsite_type_is_raw(const char *type) {
    static const char *const raw[] = {ALLOCSITE_BYTES, "char", "unsigned char", "signed char", "std::byte"};
    for (size_t i = 0; type && i < sizeof raw / sizeof *raw; i++)
        if (strcmp(type, raw[i]) == 0)
            return true;
    return !type || !*type;
}

enum allocsite_kind {
    ALLOCSITE_ALLOC = 0,   /* returns a new block */
    ALLOCSITE_REALLOC = 1, /* returns a new block or moves an old one */
    ALLOCSITE_FREE = 2,    /* frees a block */
};

/* In `kind`: the descriptor's targets are in one section of one object together with the targets of
 * neighbouring descriptors, so that one relocation serves all of them. `caller` and `request` are signed
 * distances of 24 bits from the target of `scope`. Their upper 8 bits form the low and the high half of a
 * number: how many descriptors before this one the leader is. The `scope` of the leader is a distance from
 * its own field, the `scope` of the others a distance from the target of the leader's. */
#define ALLOCSITE_JOINED       0x20u

#define ALLOCSITE_JOINED_REACH (1 << 23)  /* limit of distances within a table */
#define ALLOCSITE_JOINED_MOST  (1u << 16) /* descriptors of a leader */

/* Initial value of `key`, above every capacity: the test whether a site's counters are within the thread's
 * slab is also the test whether the site is registered. */
#define ALLOCSITE_KEY_NONE 0xFFFFFE00u

/* One allocator call in the source with the chain of functions that it was inlined through. */
struct allocsite_site {
    uint64_t hash;         /* equal in all builds as long as the function around the call is unchanged */
    uint32_t key;          /* runtime: where this site is counted; ALLOCSITE_KEY_NONE: not registered */
    uint32_t line;         /* 0: unknown */
    allocsite_ref scope;   /* struct allocsite_scope of the call */
    allocsite_ref caller;  /* struct allocsite_frame: innermost caller; 0: not inlined */
    allocsite_ref request; /* struct allocsite_request */
    uint16_t column;       /* 0: unknown */
    uint8_t version;       /* ALLOCSITE_FORMAT_VERSION */
    uint8_t kind;          /* enum allocsite_kind, ALLOCSITE_JOINED */
};

/* The references of a descriptor as distances from their own fields. */
struct allocsite_refs {
    allocsite_ref scope, caller, request;
};

static inline int32_t allocsite_low24(allocsite_ref ref) {
    return (int32_t)((uint32_t)ref << 8) >> 8;
}

static inline uint32_t allocsite_high8(allocsite_ref ref) {
    return ((uint32_t)ref - (uint32_t)allocsite_low24(ref)) >> 24;
}

/* The number of descriptors from the leader to this one. */
static inline uint32_t allocsite_to_leader(const struct allocsite_site *site) {
    return site->kind & ALLOCSITE_JOINED ? allocsite_high8(site->caller) | allocsite_high8(site->request) << 8
                                         : 0;
}

static inline struct allocsite_refs allocsite_refs_of(const struct allocsite_site *site,
                                                      const struct allocsite_site *leader) {
    struct allocsite_refs refs = {site->scope, site->caller, site->request};
    uint32_t back = allocsite_to_leader(site);
    if (site->kind & ALLOCSITE_JOINED) {
        uint32_t scope = (uint32_t)site->scope;
        if (back)
            scope += (uint32_t)leader->scope - back * (uint32_t)sizeof *site;
        uint32_t from = scope + offsetof(struct allocsite_site, scope);
        int32_t caller = allocsite_low24(site->caller), request = allocsite_low24(site->request);
        refs.scope = (allocsite_ref)scope;
        refs.caller =
            caller ? (allocsite_ref)(from + (uint32_t)caller - offsetof(struct allocsite_site, caller)) : 0;
        refs.request =
            request ? (allocsite_ref)(from + (uint32_t)request - offsetof(struct allocsite_site, request))
                    : 0;
    }
    return refs;
}

/* Size in 8-byte words of the token that a custom allocator's realloc keeps in its frame for the runtime. */
#define ALLOCSITE_TOKEN_WORDS 4

/* Why the line of an allocation is looked for in a function's callers. */
enum allocsite_function_flag {
    ALLOCSITE_PASSES_THROUGH = 1, /* its body only passes blocks on (plugin/pass/pass.h) */
    ALLOCSITE_DECLARED = 2,       /* an attribute or the user's list declares it so */
    ALLOCSITE_LIBRARY = 4,        /* library code: by file, by name, or generated by the compiler */
};

/* A function with one of these flags, or a file with only library functions. A function that passes through
 * only if functions in other files do has an entry for each of them, and all conditions must hold. Members of
 * std need no entry, since their names suffice. */
struct allocsite_function {
    allocsite_ref symbol;   /* string: linker symbol; 0: every function written in `file` */
    allocsite_ref function; /* string: as sites show it; 0 if symbol is 0 */
    allocsite_ref file;     /* string: as in sites; 0: unknown, only declared here */
    allocsite_ref depends;  /* string: symbol of a function that must pass through, too; 0: none */
    uint32_t flags;         /* enum allocsite_function_flag; ALLOCSITE_FORMAT_VERSION in the upper 8 bits */
};

enum { ALLOCSITE_FUNCTION_VERSION_SHIFT = 24 };

enum allocsite_call_flag {
    ALLOCSITE_HANDS_ON = 1, /* the function around it hands the block to its caller, who may know the type */
};

/* A call of the source that has a type to add to the types of sites. Either it calls a function that
 * allocates untyped memory, and `type` is the type that it uses the memory as; or it gets a block of which it
 * does not know the type itself, and hands it on. A call can be both: a function that allocates characters
 * may be used for another type. */
struct allocsite_call {
    allocsite_ref scope; /* struct allocsite_scope: where the call is written */
    allocsite_ref type;  /* string; 0: unknown */
    uint32_t line;
    uint16_t column; /* 0: unknown */
    uint8_t version; /* ALLOCSITE_FORMAT_VERSION */
    uint8_t flags;   /* enum allocsite_call_flag */
};

/* The calls of one object. They are beside their scopes and types, so that they need no relocations. */
struct allocsite_calls {
    allocsite_ref first; /* struct allocsite_call[] */
    uint32_t count;
};

/* Four bytes before the code of a function that keeps its calling context (plugin/emit/contexts.cpp). A
 * function that it calls on the way to an allocation finds the context stored. */
#define ALLOCSITE_CONTEXT_MARK 0xC7A10C5Eu

/* The same for a pass-through function or library code. The runtime reads it when it can keep only a part of
 * a path (lib/paths/stacks.h). */
#define ALLOCSITE_CONTEXT_MARK_PASSES 0xC7A10C5Fu

/* A context is the caller's context times this factor, plus the return address of the function. The factor is
 * odd, and larger than any ratio of two distances between addresses of one module. It is the golden ratio in
 * 32 bits, which fit into an instruction; 64 bits would need another instruction of 10 bytes. The inverse
 * undoes the multiplication. */
#define ALLOCSITE_CONTEXT_FACTOR  0xFFFFFFFF9E3779B1u
#define ALLOCSITE_CONTEXT_INVERSE 0x16597D0C0E8B2F51u

/* The caller's context in the first function of a thread and, known to the plugin, in main. Undoing the
 * context of a complete stack ends in this value. */
#define ALLOCSITE_CONTEXT_FIRST 0u

/* The entry points of malloc, calloc, realloc, strdup, strndup and the usual operators new have variants that
 * take the context as an argument after the site, so it need not be stored. Their names are
 * ALLOCSITE_ENTRY_PREFIX, the name, and this suffix. */
#define ALLOCSITE_BY_CONTEXT_SUFFIX "_by_context"

#ifdef __cplusplus
static_assert(sizeof(struct allocsite_function) == 20, "a function is 20 bytes");
static_assert(sizeof(struct allocsite_site) == 32, "a site is 32 bytes");
static_assert(sizeof(struct allocsite_frame) == 16, "a frame is 16 bytes");
static_assert(sizeof(struct allocsite_call) == 16, "a call is 16 bytes");
#else
_Static_assert(sizeof(struct allocsite_function) == 20, "a function is 20 bytes");
_Static_assert(sizeof(struct allocsite_site) == 32, "a site is 32 bytes");
_Static_assert(sizeof(struct allocsite_frame) == 16, "a frame is 16 bytes");
_Static_assert(sizeof(struct allocsite_call) == 16, "a call is 16 bytes");
#endif

#endif
