/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program's own malloc, in one of several styles. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

#ifdef OVER_NEXT
#define PASS(result, name, parameters, arguments)                                                            \
    result name parameters {                                                                                 \
        static result(*real) parameters;                                                                     \
        if (!real)                                                                                           \
            real = (result(*) parameters)dlsym(RTLD_NEXT, #name);                                            \
        return real arguments;                                                                               \
    }
PASS(void *, malloc, (size_t n), (n))
PASS(void *, realloc, (void *p, size_t n), (p, n))
PASS(void, free, (void *p), (p))
#endif

#ifdef OVER_LIBC
void *malloc(size_t n) {
    return __libc_malloc(n);
}
void *calloc(size_t n, size_t size) {
    return __libc_calloc(n, size);
}
void *realloc(void *p, size_t n) {
    return __libc_realloc(p, n);
}
void free(void *p) {
    __libc_free(p);
}
#endif

#ifdef FREE_ALONE
void free(void *p) {
    __libc_free(p);
}
#endif

#ifdef BEHIND_A_HEADER
#define HEADER 32
void *malloc(size_t n) {
    char *p = __libc_malloc(n + HEADER);
    return p ? p + HEADER : NULL;
}
void *calloc(size_t n, size_t size) {
    void *p = malloc(n * size);
    return p ? memset(p, 0, n * size) : NULL;
}
void *realloc(void *p, size_t n) {
    char *fresh = __libc_realloc(p ? (char *)p - HEADER : NULL, n + HEADER);
    return fresh ? fresh + HEADER : NULL;
}
void free(void *p) {
    __libc_free(p ? (char *)p - HEADER : NULL);
}
#endif

#ifdef IN_A_POOL
static char pool[64 << 20] __attribute__((aligned(16)));
static size_t used;
void *malloc(size_t n) {
    size_t at = __atomic_fetch_add(&used, (n + 31) & ~(size_t)15, __ATOMIC_RELAXED) + 16;
    *(size_t *)(pool + at - 16) = n;
    return pool + at;
}
void *calloc(size_t n, size_t size) {
    return malloc(n * size);
}
void *realloc(void *p, size_t n) {
    void *fresh = malloc(n);
    size_t kept = p ? *(size_t *)((char *)p - 16) : 0;
    return memcpy(fresh, p ? p : fresh, kept < n ? kept : n);
}
void free(void *p) {
    (void)p;
}
#endif
