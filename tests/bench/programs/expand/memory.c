/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "expand.h"

#include <stdlib.h>
#include <string.h>

void *take(size_t size) {
    void *block = malloc(size);
    return block ? block : (abort(), NULL);
}

void *resize(void *block, size_t size) {
    block = realloc(block, size);
    return block ? block : (abort(), NULL);
}

char *copy(const char *chars, size_t length) {
    char *made = take(length + 1);
    memcpy(made, chars, length);
    made[length] = '\0';
    return made;
}
