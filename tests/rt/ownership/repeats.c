/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Texts that are copied again: so many of each line as stands behind it. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *volatile last;

static void *thread(void *unused) {
    char text[16];
    for (int i = 0; i < 1000; i++) {
        sprintf(text, "%d", i);
        free(last = strdup(text)); // = 3000
    }
    return unused;
}

int main(void) {
    static const char long_text[] = "one that is longer than a word or two of the machine";
    pthread_t ids[4];
    for (int i = 0; i < 10; i++) {
        free(last = strdup(long_text));                        // = 9
        free(last = strdup(&long_text[i]));                    // = 0
        free(last = strndup(long_text, 20 + (size_t)(i & 1))); // = 8
        free(last = strdup(""));                               // = 9
    }
    free(last = strdup(long_text)); // = 0
    for (int i = 0; i < 4; i++)
        pthread_create(&ids[i], NULL, thread, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(ids[i], NULL);
    return 0;
}
