/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads that allocate, reallocate and free while a hook is called that does the same. The hook receives exactly what
 * is counted. */
#include <allocsite.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, ROUNDS = 1000 };

static _Atomic long told[5], told_bytes[5], every, depth, nested;
static void *_Atomic kept;

static void see(const struct allocsite_event *event, void *data) {
    static _Thread_local int inside;
    if (data != &kept || !event->file || !event->line)
        return;
    nested += inside++;
    told[event->kind]++;
    told_bytes[event->kind] += (long)event->size;
    free(realloc(malloc(10), 2000));
    free(atomic_exchange(&kept, malloc(30)));
    inside--;
}

static void see_some(const struct allocsite_event *event, void *data) {
    (void)event;
    (void)data;
    every++;
}

static void stop_itself(const struct allocsite_event *event, void *data) {
    (void)event;
    depth++;
    allocsite_off_event(stop_itself, data);
}

static _Thread_local void *volatile sink; /* if shared, another thread's block would be freed */

static void *work(void *unused) {
    for (int i = 0; i < ROUNDS; i++) {
        sink = malloc(16);
        void *block = sink;
        sink = realloc(block, 700);
        block = sink;
        free(block);
    }
    return unused;
}

int main(void) {
    pthread_t threads[THREADS];
    free(malloc(1)); /* before and after, the hook is not called */
    allocsite_on_event(see, &kept, NULL);
    allocsite_on_event(see_some, NULL,
                       "events=realloc;min_size=500;max_size=1KiB;site=function=work;every=10");
    allocsite_on_event(stop_itself, NULL, "type=*");
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    allocsite_off_event(see, &kept);
    allocsite_off_event(see_some, NULL);
    work(NULL);
    printf("%ld %ld %ld %ld %ld %ld every %ld stopped %ld nested %ld\n", told[ALLOCSITE_EVENT_ALLOC],
           told_bytes[ALLOCSITE_EVENT_ALLOC], told[ALLOCSITE_EVENT_REALLOC],
           told_bytes[ALLOCSITE_EVENT_REALLOC], told[ALLOCSITE_EVENT_FREE], told_bytes[ALLOCSITE_EVENT_FREE],
           every, depth, nested);
    return 0;
}
