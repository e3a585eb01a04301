/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decides whether the first frame of a stack is the function that contains the allocating call. */
#include "names/names.h"

#include <string.h>

static const char *const allocators[] = {
#define CALLEE(symbol, callee, ...) callee,
#define HEAP_ALLOC                  CALLEE
#define HEAP_REALLOC                CALLEE
#define OPERATOR_NEW                CALLEE
#define COPY                        CALLEE
#include "allocators.def"
};

static bool is_allocator(const char *callee) {
    for (size_t i = 0; i < sizeof allocators / sizeof *allocators; i++)
        if (strcmp(callee, allocators[i]) == 0)
            return true;
    return false;
}

/* The name without scopes, arguments and suffixes of compilers, which symbols and debug information spell
 * differently. */
static const char *plain_name(char text[NAME_SIZE], const char *function) {
    static const char scopes[] = "...::";
    name_function(text, function, 1);
    char *name = strncmp(text, scopes, strlen(scopes)) == 0 ? text + strlen(scopes) : text;
    name[strcspn(name, ".<")] = '\0';
    return name;
}

static bool is_same(const char *a, const char *b) {
    char left[NAME_SIZE], right[NAME_SIZE];
    return strcmp(plain_name(left, a), plain_name(right, b)) == 0;
}

bool name_is_caller(const char *frame, const char *function, const char *callee) {
    return frame && function && callee && is_allocator(callee) && !is_same(frame, function) &&
           !is_same(frame, callee);
}
