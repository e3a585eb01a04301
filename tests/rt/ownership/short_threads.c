/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Many threads, a few at a time: the process needs no more memory after all than after the first hundred.
 *
 *     short_threads THREADS AT_A_TIME
 *
 * Prints the KiB of address space and of resident memory after the first 100 threads and after the last one. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AT_MOST 64

static void *work(void *kept) {
    *(void **)kept = malloc(24); /* each */
    char *text = strdup("freed by the thread itself");
    text = realloc(text, 100);
    free(text);
    return NULL;
}

static void run(int at_a_time) {
    pthread_t threads[AT_MOST];
    void *kept[AT_MOST];
    for (int i = 0; i < at_a_time; i++)
        pthread_create(&threads[i], NULL, work, &kept[i]);
    for (int i = 0; i < at_a_time; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < at_a_time; i++)
        free(kept[i]);
}

static void say_memory(void) {
    char text[256] = "";
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long pages, resident;
    static char buffer[256];
    setvbuf(file, buffer, _IOFBF, sizeof buffer);
    if (fscanf(file, "%lu %lu", &pages, &resident) == 2)
        snprintf(text, sizeof text, "%lu %lu ", pages * 4, resident * 4);
    fclose(file);
    if (write(STDOUT_FILENO, text, strlen(text)) < 0)
        abort();
}

int main(int argc, char **argv) {
    (void)argc;
    int threads = atoi(argv[1]), at_a_time = atoi(argv[2]);
    for (int i = 0; i < threads; i += at_a_time) {
        run(at_a_time);
        if (i < 100 && i + at_a_time >= 100)
            say_memory();
    }
    say_memory();
    return 0;
}
