/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The underlying allocator: the functions that the program would have called without allocsite. */
#ifndef ALLOCSITE_LIB_HEAP_UNDERLYING_H
#define ALLOCSITE_LIB_HEAP_UNDERLYING_H

#include <stdbool.h>
#include <stddef.h>

/* X(name, result, parameters, arguments) */
#define UNDERLYING_FUNCTIONS(X)                                                                              \
    X(malloc, void *, (size_t n), (n))                                                                       \
    X(calloc, void *, (size_t n, size_t size), (n, size))                                                    \
    X(realloc, void *, (void *p, size_t n), (p, n))                                                          \
    X(free, void, (void *p), (p))                                                                            \
    X(aligned_alloc, void *, (size_t align, size_t n), (align, n))                                           \
    X(posix_memalign, int, (void **p, size_t align, size_t n), (p, align, n))                                \
    X(memalign, void *, (size_t align, size_t n), (align, n))                                                \
    X(valloc, void *, (size_t n), (n))                                                                       \
    X(pvalloc, void *, (size_t n), (n))

/* Never NULL: until the functions are found, the pointers lead to stubs that find them. */
struct underlying {
#define UNDERLYING_POINTER(name, result, parameters, arguments) result(*name) parameters;
    UNDERLYING_FUNCTIONS(UNDERLYING_POINTER)
#undef UNDERLYING_POINTER
};

/* The first definitions in the dynamic loader's order that are not the runtime's. Sited calls use these. */
extern struct underlying underlying __attribute__((visibility("hidden")));

/* The definitions that follow the runtime's (RTLD_NEXT). Interposed functions pass calls on to these. They
 * differ from `underlying` only if the executable defines its own malloc: that malloc has called the
 * runtime's, and calling it again would recurse (heap/front.c). */
extern struct underlying underlying_after __attribute__((visibility("hidden")));

/* Returns the functions for a sited call, or for a call of an interposed function (site: NULL). */
static inline const struct underlying *underlying_for(const void *site) {
    return site ? &underlying : &underlying_after;
}

/* Finds the functions. */
void underlying_resolve(void);

/* Returns whether `underlying_after` has glibc's functions. */
bool underlying_is_glibc(void);

#ifndef ALLOCSITE_STATIC

/* Returns the function that a call of `name` would reach without allocsite: the first definition in the
 * dynamic loader's order that is not the runtime's. NULL: none. */
void *underlying_symbol(const char *name);

/* Like underlying_symbol, for a symbol of a library that may not be in the global scope. library: its file
 * name. */
void *underlying_symbol_in(const char *library, const char *name);

/* Returns the definition that follows the runtime's. An earlier definition, for example a sanitizer's, calls
 * the runtime, so calling it would recurse. */
void *underlying_symbol_after(const char *name);

/* Like underlying_symbol_after, without dlsym, which allocates when a symbol is missing. */
void *underlying_defined_after(const char *name);

/* Returns the first definition in the dynamic loader's order, which may be the runtime's. NULL: none. */
void *underlying_first(const char *name);

/* Returns the path of the module whose malloc comes before the runtime's; NULL: none does. */
const char *underlying_interposer(void);

/* Returns the module whose malloc sited calls reach. */
struct link_map;
const struct link_map *underlying_object(void);

/* Returns whether a sanitizer serves the heap. Calls no function, because sanitizers interpose many, which
 * crash before the sanitizer is set up. */
bool underlying_is_sanitizers(void);

/* Returns the library whose malloc comes before the runtime's and may be redirected; NULL if none. */
const struct link_map *underlying_replaceable(void);

#endif

/* Returns memory, which is never freed, for allocations that happen while the allocator is being found. */
void *bootstrap_alloc(size_t n);

/* Returns the number of bytes that are readable from p on if bootstrap_alloc returned p, otherwise 0. */
size_t bootstrap_readable(const void *p);

/* Returns whether bootstrap_alloc was ever called. */
int bootstrap_used(void);

/* ---- A malloc of the executable that stays before the runtime's (front.c). */

#ifndef ALLOCSITE_STATIC

/* Wraps the functions that differ from those below, so that calls that they make are not counted again. */
void front_pass(struct underlying *, const struct underlying *after);

#endif

/* ---- Redirecting an allocator that comes before the runtime. */

#ifdef ALLOCSITE_STATIC

static inline bool rebind_is_done(void) {
    return false;
}

static inline void rebind_look(void) {}

static inline const char *underlying_copier(void) {
    return NULL;
}

#else

/* Returns the path of the underlying allocator if its strdup bypasses malloc; otherwise NULL. */
const char *underlying_copier(void);

/* Called once, before the first thread. is_first: no other constructor has run yet. */
void rebind_heap(bool is_first);

/* Called once, after rebind and underlying_resolve. Redirects the references to glibc's malloc that symbol
 * interposition does not reach. */
void rebind_libc(void);

/* Called after modules were loaded: sets the gaps for calls of theirs that are not seen. */
void rebind_look(void);

/* Returns whether functions of other modules were redirected to the runtime. */
bool rebind_is_done(void);

/* ---- Redirecting a process that was started without the runtime (attach.c). */

/* Finds the functions that the process uses, and resolves `underlying` and `underlying_after`. Called once.
 * Returns NULL, or why the process cannot be counted. */
const char *attach_begin(void);

/* Redirects the process to the runtime, or back. */
void attach_turn(bool back);

/* Returns the allocator's definition of a function that was redirected; NULL if it was not. */
void *rebind_hidden(const char *name);

#endif

#endif
