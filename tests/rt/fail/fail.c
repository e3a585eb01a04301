/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls each allocating function twice, in a separate function, and prints what each call did: "ok", or how it
 * failed. A failure must leave no other trace. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CASE(name) static __attribute__((noinline)) const char *name##_case(void)

static char said[64];
static const size_t size = 40;

static void *volatile kept; /* so that no pair of malloc and free is elided */

static const char *result(void *p) {
    int error = errno;
    kept = p;
    free(kept);
    if (p)
        return "ok";
    snprintf(said, sizeof said, "NULL, %s", strerrorname_np(error));
    return said;
}

CASE(malloc) { return result(malloc(size)); }
CASE(calloc) { return result(calloc(2, size)); }
CASE(aligned_alloc) { return result(aligned_alloc(64, 2 * 64)); }
CASE(memalign) { return result(memalign(64, size)); }
CASE(valloc) { return result(valloc(size)); }
CASE(strdup) { return result(strdup("some text")); }
CASE(strndup) { return result(strndup("some text", 4)); }
CASE(of_none) { return result(realloc(NULL, size)); }
CASE(large) { return result(malloc(1 << 20)); }

CASE(posix_memalign) {
    void *p = said;
    int error = posix_memalign(&p, 64, size);
    if (!error)
        return result(p);
    return p == said ? strerrorname_np(error) : "the pointer was changed";
}

/* The old block stays and can be reallocated later. */
static const char *grow(char *old, char *(*by)(char *)) {
    char *p = by(memcpy(old, "old content", 12));
    const char *what = result(p ? malloc(1) : NULL);
    if (strcmp(p ? p : old, "old content") != 0)
        what = "the content was lost";
    free(p ? p : old);
    return what;
}

static __attribute__((noinline)) char *realloc_by(char *old) { return realloc(old, 5000); }
static __attribute__((noinline)) char *reallocarray_by(char *old) { return reallocarray(old, 50, 100); }
CASE(realloc) { return grow(malloc(12), realloc_by); }
CASE(reallocarray) { return grow(malloc(12), reallocarray_by); }

/* The C library's functions allocate by themselves. */
CASE(getline) {
    char *line = NULL, text[] = "first\nsecond\n", buffer[100];
    size_t room = 0;
    int ends[2];
    if (pipe(ends) || write(ends[1], text, sizeof text) < 0)
        return "no pipe";
    dup2(ends[0], 0);
    close(ends[0]);
    close(ends[1]);
    setvbuf(stdin, buffer, _IOFBF, sizeof buffer);
    ssize_t size = getline(&line, &room, stdin);
    setvbuf(stdin, NULL, _IONBF, 0);
    __fpurge(stdin);
    clearerr(stdin);
    if (size > 0)
        free(line);
    return size > 0 ? "ok" : "getline: -1";
}

CASE(asprintf) {
    char *line;
    int size = asprintf(&line, "%d", 7);
    if (size > 0)
        free(line);
    return size > 0 ? "ok" : "asprintf: -1";
}

CASE(realpath) {
    char *path = realpath("/usr/.", NULL);
    free(path);
    return path ? "ok" : "realpath: NULL";
}

#define EACH(X)                                                                                              \
    X(malloc) X(calloc) X(aligned_alloc) X(memalign) X(valloc) X(strdup) X(strndup) X(of_none) X(large)      \
    X(posix_memalign) X(realloc) X(reallocarray) X(getline) X(asprintf) X(realpath)

int main(void) {
    static char buffer[4096];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    for (int round = 1; round <= 2; round++) {
#define RUN(name) printf("%s %d: ", #name, round), puts(name##_case());
        EACH(RUN)
    }
    return 3;
}
