/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every kind of C allocation. Each line has the counts of its sites, each in a note: @WHEN allocs alloc_bytes reallocs
 * realloc_bytes failed, where WHEN is all, O0, or O+ (above -O0). */
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *volatile sink;

static void use(void *p) {
    sink = p;
    free(p);
}

static inline void *helper(size_t n) {
    return malloc(n); /* @O0 20 960 0 0 0 @O+ 10 320 0 0 0 @O+ 10 640 0 0 0 */
}

__attribute__((noinline)) static void loops(void) {
    for (int i = 0; i < 10; i++)
        use(helper(32));
    for (int i = 0; i < 10; i++)
        use(helper(64));
    for (int i = 0; i < 4; i++)
        use(malloc(8)); /* @all 4 32 0 0 0 */
}

__attribute__((noinline)) static void family(void) {
    void *p;
    use(calloc(3, 7));              /* @all 1 21 0 0 0 */
    use(aligned_alloc(64, 128));    /* @all 1 128 0 0 0 */
    use(memalign(32, 5));           /* @all 1 5 0 0 0 */
    use(valloc(9));                 /* @all 1 9 0 0 0 */
    use(pvalloc(10));               /* @all 1 10 0 0 0 */
    use(malloc(0));                 /* @all 1 0 0 0 0 */
    if (!posix_memalign(&p, 64, 7)) /* @all 1 7 0 0 0 */
        use(p);
}

__attribute__((noinline)) static void grows(void) {
    void *p = realloc(NULL, 10);  /* @all 1 10 0 0 0 */
    p = realloc(p, 1000);         /* @all 0 0 1 1000 0 */
    p = reallocarray(p, 100, 20); /* @all 0 0 1 2000 0 */
    if (!realloc(p, PTRDIFF_MAX)) /* @all 0 0 0 0 1 */
        use(p);
}

__attribute__((noinline)) static void fails(void) {
    volatile size_t huge = SIZE_MAX / 2;
    sink = malloc(huge);                /* @all 0 0 0 0 1 */
    sink = calloc(huge, 4);             /* @all 0 0 0 0 1 */
    sink = reallocarray(NULL, huge, 4); /* @all 0 0 0 0 1 */
}

__attribute__((noinline)) static void from_libc(const char *text) {
    use(strdup(text));     /* @all 1 6 0 0 0 */
    use(strndup(text, 3)); /* @all 1 4 0 0 0 */
}

static void *thread(void *unused) {
    for (int i = 0; i < 1000; i++)
        use(malloc(16)); /* @all 4000 64000 0 0 0 */
    return unused;
}

__attribute__((noinline)) static void threads(void) {
    pthread_t all[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&all[i], NULL, thread, NULL); /* @ any: the thread is not ours */
    for (int i = 0; i < 4; i++)
        pthread_join(all[i], NULL);
}

__attribute__((constructor)) static void first(void) {
    use(malloc(11)); /* @all 1 11 0 0 0 */
}

__attribute__((destructor)) static void last(void) {
    use(malloc(13)); /* @all 1 13 0 0 0 */
}

static void at_exit(void) {
    use(malloc(12)); /* @all 1 12 0 0 0 */
}

int main(void) {
    atexit(at_exit);
    loops();
    family();
    grows();
    fails();
    from_libc("hello");
    threads();
    puts("done");
    return 3;
}
