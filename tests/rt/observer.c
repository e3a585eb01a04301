/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The independent observer: the program's malloc behind allocsite. It counts every call with atomic operations. At the
 * very end it writes "allocs bytes reallocs bytes failed frees bytes old-bytes" (frees without reallocs; bytes that
 * reallocs took over) to OBSERVER.PID, where OBSERVER comes from the environment. It allocates from its own memory,
 * without locks and without reusing any, so that signal handlers may allocate. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HEAP_SIZE ((size_t)8 << 30)

static _Atomic uint64_t allocs, alloc_bytes, reallocs, realloc_bytes, failed, frees, freed_bytes, realloc_old_bytes;
static _Atomic uintptr_t heap_at;
static uintptr_t heap_end;

/* The size is stored in the 16 bytes before a block. */
static void *carve(size_t align, size_t n) {
    if (!heap_at) { /* before any second thread */
        void *heap =
            mmap(NULL, HEAP_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        heap_end = (uintptr_t)heap + HEAP_SIZE;
        heap_at = (uintptr_t)heap;
    }
    size_t taken = n + align + 32;
    if (n > HEAP_SIZE / 2 || heap_at + taken > heap_end) {
        failed++;
        errno = ENOMEM;
        return NULL;
    }
    uintptr_t at = (atomic_fetch_add(&heap_at, taken) + 16 + align - 1) & -align;
    ((size_t *)at)[-2] = n;
    return (void *)at;
}

static void *observed(size_t align, size_t n) {
    void *p = carve(align < 16 ? 16 : align, n);
    if (p) {
        allocs++;
        alloc_bytes += n;
    }
    return p;
}

void *malloc(size_t n) {
    return observed(16, n);
}

void *calloc(size_t n, size_t size) {
    size_t bytes;
    return observed(16, __builtin_mul_overflow(n, size, &bytes) ? SIZE_MAX : bytes);
}

void *realloc(void *old, size_t n) {
    if (!old)
        return observed(16, n);
    if (n == 0) {
        free(old);
        return NULL;
    }
    void *p = carve(16, n);
    if (!p)
        return NULL;
    size_t kept = ((size_t *)old)[-2];
    memcpy(p, old, kept < n ? kept : n);
    reallocs++;
    realloc_bytes += n;
    realloc_old_bytes += kept;
    return p;
}

void free(void *p) {
    if (!p)
        return;
    frees++;
    freed_bytes += ((size_t *)p)[-2];
}

void *aligned_alloc(size_t align, size_t n) {
    return observed(align, n);
}

void *memalign(size_t align, size_t n) {
    return observed(align, n);
}

void *valloc(size_t n) {
    return observed(4096, n);
}

void *pvalloc(size_t n) {
    return observed(4096, n);
}

int posix_memalign(void **p, size_t align, size_t n) {
    if (align % sizeof(void *) != 0 || (align & (align - 1)) != 0)
        return EINVAL;
    void *block = observed(align, n);
    if (block)
        *p = block;
    return block ? 0 : ENOMEM;
}

#ifdef OBSERVED_LIBC /* glibc's internal names */

void *__libc_malloc(size_t) __attribute__((alias("malloc")));
void *__libc_calloc(size_t, size_t) __attribute__((alias("calloc")));
void *__libc_realloc(void *, size_t) __attribute__((alias("realloc")));
void __libc_free(void *) __attribute__((alias("free")));
void *__libc_memalign(size_t, size_t) __attribute__((alias("memalign")));
void *__libc_valloc(size_t) __attribute__((alias("valloc")));
void *__libc_pvalloc(size_t) __attribute__((alias("pvalloc")));

#endif

#ifdef OBSERVED_COPIES /* as in some allocators */

char *strdup(const char *text) {
    size_t n = strlen(text) + 1;
    void *copy = observed(16, n);
    return copy ? memcpy(copy, text, n) : NULL;
}

char *strndup(const char *text, size_t most) {
    size_t n = strnlen(text, most);
    char *copy = observed(16, n + 1);
    if (copy)
        *(char *)mempcpy(copy, text, n) = '\0';
    return copy;
}

#endif

/* For programs that read the counts while they run. */
__attribute__((visibility("default"))) void observed_now(uint64_t counts[4]);
void observed_now(uint64_t counts[4]) {
    counts[0] = allocs;
    counts[1] = alloc_bytes;
    counts[2] = reallocs;
    counts[3] = realloc_bytes;
}

static void write_counts(void *unused) {
    (void)unused;
    const char *path = getenv("OBSERVER");
    char text[4096];
    if (!path)
        return;
    snprintf(text, sizeof text, "%s.%d", path, getpid());
    int n, fd = creat(text, 0600);
    const uint64_t counts[] = {allocs, alloc_bytes, reallocs, realloc_bytes, failed, frees, freed_bytes, realloc_old_bytes};
    n = 0;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%llu ", (unsigned long long)counts[i]);
    if (fd < 0 || write(fd, text, (size_t)n) != n)
        _exit(97);
    close(fd);
}

static void restart(void) {
    allocs = alloc_bytes = reallocs = realloc_bytes = failed = frees = freed_bytes = realloc_old_bytes = 0;
}

extern int __cxa_atexit(void (*)(void *), void *, void *);

__attribute__((constructor)) static void install(void) {
    pthread_atfork(NULL, NULL, restart);
    __cxa_atexit(write_counts, NULL, NULL);
}
