/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks that are freed before their thread allocates again. The notes have their number per line. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *volatile one, *volatile other, *volatile last;

static void *thread(void *unused) {
    (void)unused;
    for (int i = 0; i < 3; i++)
        free(other = malloc(40)); // = 6
    free(one);
    return NULL;
}

int main(void) {
    pthread_t id;
    for (int i = 0; i < 10; i++) {
        free(one = malloc(10));  // = 10
        one = malloc(20);        // = 0
        other = calloc(1, 9000); // = 10
        free(one);
        free(other);
        one = malloc(30);         // = 0
        one = realloc(one, 9999); // = 10
        free(one);
        free(one = strdup("abc")); // = 10
    }
    pthread_create(&id, NULL, thread, one = malloc(50)); // = 0
    pthread_join(id, NULL);
    last = malloc(60); // = 1
    one = NULL;
    pthread_create(&id, NULL, thread, NULL);
    pthread_join(id, NULL);
    free(last);
    return 0;
}
