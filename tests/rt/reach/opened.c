/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A library that is opened later: its data, and its TLS, which is allocated on first use.
#include "common.h"

#include <stdlib.h>

static __thread void *thread_local[1000];
static void *global;

void keep(void);
void keep(void) {
    thread_local[500] = malloc(210);
    lose(malloc(220)); // @ lost 2 440
    if (!global)
        global = malloc(230);
}
