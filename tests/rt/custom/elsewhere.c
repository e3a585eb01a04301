/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compiled with the plugin and elsewhere.txt, as C and as C++. The allocator is compiled without. */
#include "elsewhere.h"

#include <pthread.h>
#include <stdlib.h>

static void *volatile sink;
static void *(*volatile by_pointer)(size_t) = px_malloc;
static void (*volatile free_by_pointer)(void *) = px_free;

static void lines(void) {
    for (size_t i = 1; i < 1500; i++) {
        void *p = px_malloc(i); /* @ px_malloc 1499 1124250 */
        p = px_realloc(p, 2 * i);
        void *q = px_calloc(i, 3); /* @ px_calloc 1499 3372750 */
        px_free(i % 2 ? p : q);
        sink = i % 2 ? q : p;
        px_free(px_realloc(NULL, 5)); /* @ px_realloc 1499 7495 */
        free(malloc(i));
    }
    sink = px_malloc((size_t)1 << 63);
}

/* Two calls that differ only in their arguments. */
static void *either(int which) {
    if (which)
        return px_malloc(8); /* @ px_malloc 10 80 */
    return px_malloc(16);    /* @ px_malloc 20 320 */
}

static void pointers(void) {
    for (int i = 0; i < 100; i++)
        free_by_pointer(by_pointer(100)), px_free(by_pointer(200));
}

static void *work(void *unused) {
    void *held[100] = {0};
    for (int i = 0; i < 20000; i++) {
        void **place = &held[i * 7919 % 100];
        px_free(*place);
        *place = px_malloc((size_t)(i % 1100)); /* @ px_malloc 80000 43600000 */
        free(malloc(3));
    }
    return unused;
}

static void threads(void) {
    pthread_t ids[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&ids[i], NULL, work, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(ids[i], NULL);
}

#ifdef __cplusplus
static void exceptions() {
    for (size_t i = 900; i < 1100; i++)
        try {
            px_free(px::checked(i)); /* @ px::checked 101 95950 */
        } catch (int) {
            free(sink = malloc(i)); /* is no chunk */
        }
}
#endif

int main(void) {
    lines();
    for (int i = 0; i < 30; i++)
        px_free(either(i % 3 == 0));
    pointers();
    threads();
#ifdef __cplusplus
    exceptions();
#endif
    px_print();
    return 0;
}
