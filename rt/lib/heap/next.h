/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The underlying allocator: the functions that the program would have called without allocsite. */
#ifndef ALLOCSITE_LIB_HEAP_NEXT_H
#define ALLOCSITE_LIB_HEAP_NEXT_H

#include <stdbool.h>
#include <stddef.h>

/* X(name, result, parameters, arguments) */
#define NEXT_FUNCTIONS(X)                                                                                    \
    X(malloc, void *, (size_t n), (n))                                                                       \
    X(calloc, void *, (size_t n, size_t size), (n, size))                                                    \
    X(realloc, void *, (void *p, size_t n), (p, n))                                                          \
    X(free, void, (void *p), (p))                                                                            \
    X(aligned_alloc, void *, (size_t align, size_t n), (align, n))                                           \
    X(posix_memalign, int, (void **p, size_t align, size_t n), (p, align, n))                                \
    X(memalign, void *, (size_t align, size_t n), (align, n))                                                \
    X(valloc, void *, (size_t n), (n))                                                                       \
    X(pvalloc, void *, (size_t n), (n))

/* Never NULL: until the real ones are known these point at stubs that find them, so that no call tests. */
struct next {
#define NEXT_POINTER(name, result, parameters, arguments) result(*name) parameters;
    NEXT_FUNCTIONS(NEXT_POINTER)
#undef NEXT_POINTER
};

/* The first definitions in the order of the dynamic loader that are not ours: what a sited call reaches. */
extern struct next next __attribute__((visibility("hidden")));

/* The definitions behind ours (RTLD_NEXT): what an interposed function passes its calls on to. They are those
 * in `next` unless the executable has a malloc of its own: that malloc has called ours, and calling it again
 * would recurse without end (heap/front.c). */
extern struct next behind __attribute__((visibility("hidden")));

/* The functions for a call that passes a site or comes to an interposed function. */
static inline const struct next *next_for(const void *site) {
    return site ? &next : &behind;
}

/* Finds the real ones now. */
void next_resolve(void);

/* Whether those behind ours are glibc's. */
bool next_is_glibc(void);

#ifndef ALLOCSITE_STATIC

/* The function that a call of name would have reached without allocsite: the first definition in the order of
 * the dynamic loader that is not ours. NULL: none. */
void *next_symbol(const char *name);

/* The same for a symbol that may live in a library which only part of the process sees; name of the library.
 */
void *next_symbol_in(const char *library, const char *name);

/* The function that an interposed one passes its calls on to: the definition behind ours. One that stands
 * before it, a sanitizer's, has called it and would be called in circles. */
void *next_behind(const char *name);

/* The same, found without dlsym, which allocates if there is none. */
void *next_defined_behind(const char *name);

/* The first definition in the order of the dynamic loader, whosever it is. NULL: none. */
void *next_first(const char *name);

/* Path of the module whose malloc stands before ours. */
const char *next_interposer(void);

/* The module of the malloc that sited calls reach. */
struct link_map;
const struct link_map *next_object(void);

/* Whether a sanitizer serves the heap. Calls no function: sanitizers stand before many more than malloc, and
 * these crash before they are set up. */
bool next_is_sanitizers(void);

/* The library whose malloc stands before ours though ours came with the program; NULL: there is none, or it
 * has to stay there. */
const struct link_map *next_replaceable(void);

#endif

/* Memory for who allocates while the allocator is being looked up. Never given back. */
void *bootstrap_alloc(size_t n);

/* Bytes that may be read from p on if bootstrap_alloc gave it, else 0. */
size_t bootstrap_readable(const void *p);

/* Whether it ever gave anything. */
int bootstrap_used(void);

/* ---- A malloc of the program's own that stays before ours (front.c). */

#ifndef ALLOCSITE_STATIC

/* Replaces the functions that are not those behind ours by others that pass calls on to them, in a way that
 * the calls they make in turn are not counted again. */
void front_pass(struct next *, const struct next *behind);

#endif

/* ---- Getting ahead of an allocator that stands before ours. */

#ifdef ALLOCSITE_STATIC

static inline bool rebind_is_done(void) {
    return false;
}

static inline const char *next_copier(void) {
    return NULL;
}

#else

/* Path of the allocator if it has a strdup of its own, which allocates past its malloc; NULL: it has none. */
const char *next_copier(void);

/* Once, before the first thread. is_first: before any other constructor, which may have allocated. */
void rebind(bool is_first);

/* Once, after rebind and next_resolve: closes the ways to glibc's malloc that symbol interposition leaves
 * open. */
void rebind_libc(void);

/* Whether there was such an allocator and its calls come to us now. */
bool rebind_is_done(void);

/* The allocator's own definition of a function whose calls come to us now; NULL: none. */
void *rebind_hidden(const char *name);

#endif

#endif
