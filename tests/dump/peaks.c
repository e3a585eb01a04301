/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Keeps its own books of the most bytes that each thread, and each phase of it, held at once, and prints
 * them: "phase THREAD NAME BYTES", where the name is empty outside of phases, and "thread THREAD - BYTES".
 * Arguments: the number of further threads, and the number of phases (0: none). */
#include <allocsite.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 500, EVENTS = 40000, PHASES = 3 };

struct book {
    long live, peak;
};

struct worker {
    struct book all, phases[PHASES + 1]; /* the last one is outside of phases */
    size_t sizes[BLOCKS];
    void *blocks[BLOCKS];
    unsigned random, phases_used;
    pthread_t thread;
};

static struct worker workers[16];

static void note(struct book *book, long bytes) {
    book->live += bytes;
    if (book->live > book->peak)
        book->peak = book->live;
}

static unsigned next(struct worker *worker) {
    worker->random = worker->random * 1664525 + 1013904223;
    return worker->random >> 8;
}

static void change(struct worker *worker, unsigned phase) {
    /* Heaps rise and fall in waves, so that peaks are in the past. */
    unsigned at = next(worker) % BLOCKS, wave = next(worker) % 2000;
    size_t size = next(worker) % 3000;
    long old = worker->blocks[at] ? (long)worker->sizes[at] : 0;
    if (worker->blocks[at] && wave % 3) {
        free(worker->blocks[at]);
        worker->blocks[at] = NULL;
        size = 0;
    } else {
        worker->blocks[at] = realloc(worker->blocks[at], size + 1);
        size++;
    }
    worker->sizes[at] = size;
    note(&worker->all, (long)size - old);
    note(&worker->phases[phase], (long)size - old);
}

static void *work(void *context) {
    static const char *const names[PHASES] = {"first", "second", "third"};
    struct worker *worker = context;
    for (int i = 0; i < EVENTS; i += 100) {
        unsigned phase = worker->phases_used ? next(worker) % (worker->phases_used + 1) : PHASES;
        phase = phase == worker->phases_used ? PHASES : phase;
        if (phase < PHASES)
            allocsite_phase_push(names[phase]);
        for (int k = 0; k < 100; k++)
            change(worker, phase);
        if (phase < PHASES)
            allocsite_phase_pop();
    }
    return NULL;
}

int main(int count, char **arguments) {
    unsigned threads = count > 1 ? (unsigned)atoi(arguments[1]) : 0;
    for (unsigned i = 0; i <= threads; i++)
        workers[i] =
            (struct worker){.random = i + 1, .phases_used = count > 2 ? (unsigned)atoi(arguments[2]) : 0};
    work(&workers[0]);
    for (unsigned i = 1; i <= threads; i++)
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    for (unsigned i = 1; i <= threads; i++)
        pthread_join(workers[i].thread, NULL);
    static char buffer[4096];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    for (unsigned i = 0; i <= threads; i++) {
        static const char *const names[] = {"first", "second", "third", ""};
        for (int k = 0; k <= PHASES; k++)
            printf("phase %u %s %ld\n", i, names[k], workers[i].phases[k].peak);
        printf("thread %u - %ld\n", i, workers[i].all.peak);
    }
    return 0;
}
