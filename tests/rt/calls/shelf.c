/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "system/shelf.h"

#include <stdlib.h>
#include <string.h>

struct shelf {
    int count;
    char *texts[10];
};

struct shelf *shelf_new(void) {
    return calloc(1, sizeof(struct shelf));
}

void shelf_put(struct shelf *shelf, const char *text) {
    char *copy = malloc(strlen(text) + 1);
    shelf->texts[shelf->count++] = strcpy(copy, text);
}

void shelf_each(struct shelf *shelf, void (*see)(const char *text, void *data), void *data) {
    for (int i = 0; i < shelf->count; i++) {
        void *volatile before = malloc(7);
        see(shelf->texts[i], data);
        void *volatile behind = malloc(9);
        free(before);
        free(behind);
    }
}

void shelf_noise(void) {
    void *volatile noise = malloc(1000);
    free(noise);
}
