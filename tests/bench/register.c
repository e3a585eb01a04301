/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The first call of 100,000 sites against the second: what registering a site costs. The descriptors are made by
 * hand, as the plugin would make them but without names. Prints milliseconds. */
#define _GNU_SOURCE
#include "format.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SITES 100000

void *ALLOCSITE_ENTRY(malloc)(size_t, struct allocsite_site *);

static struct allocsite_site sites[SITES];

static double milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static double pass(void) {
    double start = milliseconds();
    for (int i = 0; i < SITES; i++)
        free(ALLOCSITE_ENTRY(malloc)(1, &sites[i]));
    return milliseconds() - start;
}

int main(void) {
    for (int i = 0; i < SITES; i++)
        sites[i] = (struct allocsite_site){
            .hash = (uint64_t)i, .slot = ALLOCSITE_SLOT_NONE, .line = 1, .version = ALLOCSITE_FORMAT_VERSION};
    double first = pass(), second = pass();
    printf("%.2f\n", first - second);
    return 0;
}
