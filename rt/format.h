/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The contract between the plugin (writes), the runtime (counts by) and allocsite-dump (reads).
 *
 * A module that was compiled with the plugin carries a site table: descriptors in one section, what
 * they share in two more. Every reference is the signed distance in bytes from the referring field
 * to what it names, so the table needs no dynamic relocation and costs nothing at load.
 *
 *   allocsite_sites    struct allocsite_site[]                  writable (the runtime stores `key`)
 *   allocsite_frames   scopes, frames, requests, calls, in any   read only
 *                      order, and strings that no other object has
 *   allocsite_strings  NUL-terminated UTF-8                      read only, merged by the linker
 *   allocsite_functions struct allocsite_function[]              read only, for allocsite-dump alone
 *   allocsite_calls    struct allocsite_calls[]                  read only, for allocsite-dump alone
 *
 * Grouping: the descriptors of one function stand in that function's comdat and are linked to its
 * code (SHF_LINK_ORDER), so a linker that drops the function drops its sites; those of functions that
 * share a section, which no linker divides, stand together. The
 * functions stay (SHF_GNU_RETAIN): one that was inlined everywhere is still in inline chains.
 *
 * Everything is in the byte order of the module. In a relocatable object the references are still
 * PC-relative relocations of their section. One site can stand twice (a library opened twice, code
 * that LTO mixed with other objects): two descriptors are the same site if hash, function, file,
 * line, column and callee agree. */
#ifndef ALLOCSITE_FORMAT_H
#define ALLOCSITE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Each descriptor and function holds it. PROFILE_VERSION (profile.h) has the rule for changes: allocsite-dump
 * refuses tables of another version, and the runtime counts their sites for the module and says so. */
#define ALLOCSITE_FORMAT_VERSION 1

/* The names of the runtime's entry points hold a number that is raised by every change of what these are
 * passed, so that an object never links or loads with a runtime that takes something else; and the library's
 * name, so that a linker that misses them says what to add. */
#define ALLOCSITE_ENTRY(name)       __liballocsite_v1_##name
#define ALLOCSITE_ENTRY_PREFIX      "__liballocsite_v1_"

#define ALLOCSITE_SITES_SECTION     "allocsite_sites"
#define ALLOCSITE_FRAMES_SECTION    "allocsite_frames"
#define ALLOCSITE_STRINGS_SECTION   "allocsite_strings"
#define ALLOCSITE_FUNCTIONS_SECTION "allocsite_functions"
#define ALLOCSITE_CALLS_SECTION     "allocsite_calls"

/* Distance in bytes from this field to what it names; 0: nothing. */
typedef int32_t allocsite_ref;

/* A function and a file in which code of it is written (a body may span files by #include). */
struct allocsite_scope {
    allocsite_ref function; /* string: demangled name, with parameters where the debug info has them */
    allocsite_ref file;     /* string: path, as -ffile-prefix-map leaves it */
};

/* One step outwards in an inline chain: the call at line:column of scope was inlined. */
struct allocsite_frame {
    allocsite_ref scope;  /* struct allocsite_scope */
    allocsite_ref caller; /* struct allocsite_frame: the next step outwards; 0: not inlined further */
    uint32_t line;        /* 0: unknown */
    uint32_t column;      /* 0: unknown */
};

/* The request of a site. */
struct allocsite_request {
    allocsite_ref callee; /* string: as it is written in the source, "malloc", "operator new[]" */
    allocsite_ref type;   /* string: the type allocated; 0: unknown */
};

/* The type of memory of which the line names none: it says no more than that nothing is known, and less than
 * what another line tells. */
#define ALLOCSITE_BYTES "bytes"

/* Whether a type can be that of any memory: a caller may know better what it is for. NULL and "": unknown. */
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
    ALLOCSITE_FREE = 2,    /* takes a block back */
};

/* In `kind`: what the descriptor names stands in one section of one object with what others name that stand
 * together with it, so that one relocation does for all of them. `caller` and `request` are distances from
 * what `scope` names, of 24 bits with their sign; the bits above are the lower and the upper half of a
 * number: of descriptors from the leader on, whose `scope` is a distance from its own field. Of the others it
 * is the distance from what the leader's names. */
#define ALLOCSITE_JOINED       0x20u

#define ALLOCSITE_JOINED_REACH (1 << 23)  /* distances within a table are smaller */
#define ALLOCSITE_JOINED_MOST  (1u << 16) /* descriptors of one leader */

/* `key` as the plugin writes it: above every capacity, so that the test that a site's counters are
 * within the thread's slab is also the test that the site has been registered. */
#define ALLOCSITE_KEY_NONE 0xFFFFFE00u

/* One allocator call in the source with the chain of functions that it was inlined through. */
struct allocsite_site {
    uint64_t hash;         /* the same in every build while the function around the call is unchanged */
    uint32_t key;          /* runtime: says where this site is counted; ALLOCSITE_KEY_NONE: nowhere yet */
    uint32_t line;         /* 0: unknown */
    allocsite_ref scope;   /* struct allocsite_scope: where the call is written */
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

/* How many descriptors before this one its leader stands. */
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

/* The token that a custom allocator's realloc keeps in its frame for the runtime, in words of 8 bytes. */
#define ALLOCSITE_TOKEN_WORDS 4

/* Why the line of an allocation is sought among a function's callers. */
enum allocsite_function_flag {
    ALLOCSITE_PASSES_THROUGH = 1, /* its body hands on blocks and nothing else (plugin/pass/pass.h) */
    ALLOCSITE_DECLARED = 2,       /* an attribute or the user's list says that it hands on blocks */
    ALLOCSITE_LIBRARY = 4,        /* library code: by its file, by its name, or made by the compiler */
};

/* A function of which one of these is known, or a file whose functions are all library code. A function that
 * passes through only if functions of other files do has one entry for each of them, and all have to hold.
 * Members of std need no entry: their names tell. */
struct allocsite_function {
    allocsite_ref symbol;   /* string: as the linker sees it; 0: every function that is written in `file` */
    allocsite_ref function; /* string: as sites show it; 0 along with symbol */
    allocsite_ref file;     /* string: as sites have it; 0: unknown, only declared here */
    allocsite_ref depends;  /* string: symbol of a function that has to pass through as well; 0: none */
    uint32_t flags;         /* enum allocsite_function_flag; ALLOCSITE_FORMAT_VERSION in the upper 8 bits */
};

enum { ALLOCSITE_FUNCTION_VERSION_SHIFT = 24 };

enum allocsite_call_flag {
    ALLOCSITE_HANDS_ON = 1, /* the function around it hands the block to its caller, who may know the type */
};

/* A call of the source that has a type to add to the types of sites. Either it calls a function that
 * allocates untyped memory, and `type` is the type that it uses the memory as; or it gets a block of which it
 * does not know the type itself, and hands it on. Both can hold: memory for characters may become something
 * else. */
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

/* The four bytes before the code of a function that keeps its calling context (plugin/emit/contexts.cpp):
 * behind each call from it that comes to an allocation stands one that has found its context stored. */
#define ALLOCSITE_CONTEXT_MARK 0xC7A10C5Eu

/* The same before a function that passes through or is library code. The runtime reads it where it can keep
 * only a part of a path (lib/paths/stacks.h). */
#define ALLOCSITE_CONTEXT_MARK_PASSES 0xC7A10C5Fu

/* The number of a context is that of the caller's times this, and the address that its function returns to.
 * Odd, and larger than any ratio of two distances between addresses of one module: the golden ratio, in 32
 * bits, which an instruction has room for where 64 would take another one of 10 bytes. And by what a product
 * with it is undone. */
#define ALLOCSITE_CONTEXT_FACTOR  0xFFFFFFFF9E3779B1u
#define ALLOCSITE_CONTEXT_INVERSE 0x16597D0C0E8B2F51u

/* What the first function of a thread finds in the place of its caller's number, and main, for which the
 * plugin knows it. So a number that was made of all return addresses of a stack comes down to this one. What
 * the callee of a call finds that may leave no frame: of that no other number is made. */
#define ALLOCSITE_CONTEXT_FIRST   0u
#define ALLOCSITE_CONTEXT_UNKNOWN 0x5DEECE66D1CEB00Bu

/* The entries of malloc, calloc, realloc, strdup, strndup and the usual operators new have others beside
 * them, to which the context is passed behind the site, and need not be stored: ALLOCSITE_ENTRY_PREFIX, the
 * name and this. */
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
