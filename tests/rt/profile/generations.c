/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Generations of forked processes: generations SEED. Each writes to descriptor 3, for each line, its own
 * counts, which include every block: "line allocs frees freed_inherited inherited live
 * live_inherited". */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINES = 4, MOST = 600, GENERATIONS = 4 };
enum { UNTOUCHED, GIVEN_BACK, OWN, MIXED };

struct block {
    void *p;
    int inherited;
};

static struct line {
    struct block blocks[MOST];
    int live, inherited, allocs, frees, freed_inherited;
} lines[LINES];
static uint32_t state;

static int below(int limit) {
    state = state * 1664525 + 1013904223;
    return (int)((state >> 8) % (uint32_t)limit);
}

static __attribute__((noinline)) void *take(int which) {
    switch (which) {
    case UNTOUCHED:
        return malloc(10); /* untouched */
    case GIVEN_BACK:
        return malloc(20); /* given back */
    case OWN:
        return malloc(30); /* own */
    default:
        return malloc(40); /* mixed */
    }
}

static void get(int which) {
    struct line *line = &lines[which];
    if (line->live == MOST)
        return;
    line->blocks[line->live++] = (struct block){take(which), 0};
    line->allocs++;
}

static void give(int which, int index) {
    struct line *line = &lines[which];
    free(line->blocks[index].p);
    line->frees++;
    line->freed_inherited += line->blocks[index].inherited;
    line->blocks[index] = line->blocks[--line->live];
}

/* Only the first process adds to the first two lines; the others free blocks of the second. Each process only
 * frees its own blocks of the third line. */
static void work(int generation) {
    for (int i = 0; i < 200; i++) {
        int which = generation ? OWN + below(2) : below(LINES);
        struct line *line = &lines[which];
        int index = line->live ? below(line->live) : -1;
        int may_give = index >= 0 && which != UNTOUCHED && (which == MIXED || !line->blocks[index].inherited);
        if (may_give && below(2))
            give(which, index);
        else
            get(which);
        if (generation && lines[GIVEN_BACK].live && below(10) == 0)
            give(GIVEN_BACK, below(lines[GIVEN_BACK].live));
    }
}

static void begin(uint32_t seed) {
    state = seed;
    for (int i = 0; i < LINES; i++) {
        struct line *line = &lines[i];
        line->inherited = line->live;
        line->allocs = line->frees = line->freed_inherited = 0;
        for (int k = 0; k < line->live; k++)
            line->blocks[k].inherited = 1;
    }
}

static void note(void) {
    char text[LINES * 80];
    int size = 0;
    for (int i = 0; i < LINES; i++) {
        struct line *line = &lines[i];
        int inherited = line->inherited - line->freed_inherited;
        size += sprintf(text + size, "%d %d %d %d %d %d %d\n", i, line->allocs, line->frees,
                        line->freed_inherited, line->inherited, line->live, inherited);
    }
    if (write(3, text, (size_t)size) != size)
        abort();
}

static void live(int generation) {
    int children = generation == GENERATIONS ? 0 : below(4);
    for (int i = 0; i <= children; i++) {
        work(generation);
        uint32_t seed = state * 7 + (uint32_t)i;
        if (i < children && fork() == 0) {
            begin(seed);
            live(generation + 1);
            return;
        }
    }
    while (wait(NULL) > 0)
        ;
    note();
}

int main(int count, char **arguments) {
    begin((uint32_t)atoi(arguments[count - 1]));
    live(0);
    return 0;
}
