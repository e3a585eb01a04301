/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Phases and threads. "reset": resets the counters in between; "busy": runs until its input ends. */
#include <allocsite.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *kept[200];

static void fill(int from, int end, size_t size) {
    for (int i = from; i < end; i++)
        kept[i] = malloc(size);
}

static void drop(int from, int end) {
    for (int i = from; i < end; i++)
        free(kept[i]);
}

static void *work(void *unused) {
    fill(0, 100, 10);
    allocsite_phase_push("parsing");
    fill(100, 150, 100);
    kept[100] = realloc(kept[100], 1000);
    drop(0, 100);
    allocsite_phase_pop();
    return unused;
}

static bool is_over;

/* block: visible to other code, so that no call is optimized away. */
static void *be_busy(void *block) {
    void *volatile *at = block;
    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
        *at = malloc(10);
        allocsite_phase_push("growing");
        *at = realloc(*at, 100);
        allocsite_phase_push("giving back");
        free(*at);
        allocsite_phase_pop();
        allocsite_phase_pop();
    }
    return NULL;
}

static int stay_busy(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, be_busy, &kept[i]) != 0)
            return 1;
    getchar();
    __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

int main(int count, char **arguments) {
    pthread_t thread;
    if (count > 1 && strcmp(arguments[1], "busy") == 0)
        return stay_busy();
    if (pthread_create(&thread, NULL, work, NULL) != 0 || pthread_join(thread, NULL) != 0)
        return 1;
    if (count > 1 && strcmp(arguments[1], "reset") == 0)
        allocsite_reset();
    allocsite_phase_push("cleaning");
    drop(100, 150);
    fill(0, 3, 7);
    allocsite_phase_push("idle");
    allocsite_phase_pop();
    allocsite_phase_pop();
    return 0;
}
