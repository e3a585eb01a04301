/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions named for the verdict of a failure in them. Without a failure the program prints "all done". */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CASE __attribute__((noinline)) static void

static void *volatile kept; /* so that nothing is elided */
static volatile int zero;

/* Keeps the call from becoming a jump. */
#define KEEP_FRAME __asm__ volatile("")

static void release(void *p) {
    kept = p;
    free(kept);
    KEEP_FRAME;
}

CASE clean(void) {
    void *p = malloc(100);
    if (!p) {
        fputs("cannot go on:\nout of memory\n", stderr);
        exit(4);
    }
    release(p);
}

CASE same(void) {
    release(malloc(101));
    KEEP_FRAME;
}

CASE crash(void) {
    char *p = malloc(102);
    *(volatile char *)p = 1;
    release(p);
}

CASE crash_abort(void) {
    void *p = malloc(103);
    if (!p)
        abort();
    release(p);
}

__attribute__((noinline)) static int deep(volatile char *above) {
    volatile char room[4096];
    room[0] = 1;
    return above == room ? 0 : deep(room) + room[0];
}

CASE crash_overflow(void) {
    void *p = malloc(104);
    if (!p)
        zero = deep(NULL);
    release(p);
}

CASE crash_child(void) {
    if (fork() == 0) {
        char *p = malloc(105);
        *(volatile char *)p = 1;
        _exit(0);
    }
    wait(NULL);
}

CASE hang(void) {
    void *p = malloc(106);
    while (!p && !zero)
        continue;
    release(p);
}

__attribute__((noinline)) static void *leak_second(void) {
    void *p = malloc(107);
    KEEP_FRAME;
    return p;
}

CASE same_first(void) {
    void *volatile p = malloc(108);
    kept = p;
    kept = NULL;
    void *q = leak_second();
    if (q)
        free(p);
    p = NULL;
    release(q);
}

/* Overwrites what earlier calls left on the stack, where the search for leaks would find it. */
__attribute__((noinline)) static void forget(void) {
    volatile char room[16384];
    for (size_t i = 0; i < sizeof room; i++)
        room[i] = 0;
}

__attribute__((noinline)) static void *fault_twice(void) {
    void *p = malloc(109);
    KEEP_FRAME;
    return p;
}

CASE same_before_twice(void) {
    void *p = malloc(3000), *q = fault_twice(); /* too large for the allocator to notice */
    kept = p;
    if (!q)
        free(kept);
    free(kept);
    release(q);
}

CASE fault_foreign(void) {
    char *p = malloc(110);
    static char room[64];
    kept = p ? p : room + 32;
    free(kept);
    KEEP_FRAME;
}

CASE same_kept(void) {
    char *old = malloc(12);
    if (!old)
        return;
    kept = strcpy(old, "old content");
    char *p = realloc(kept, 5000);
    if (strcmp(p ? p : old, "old content") != 0)
        abort();
    free(p ? p : old);
}

CASE differs_line(void) {
    char *line = NULL;
    size_t room = 0;
    ssize_t length = getline(&line, &room, stdin);
    printf("%s", length > 0 ? line : "no line\n");
    if (length > 0)
        release(line);
}

CASE clean_text(void) {
    char *text;
    if (asprintf(&text, "%d", zero) < 0)
        exit(5);
    release(text);
}

CASE clean_copy(void) {
    char *text = strdup("text");
    if (!text)
        exit(6);
    release(text);
}

CASE clean_aligned(void) {
    void *p = kept;
    int error = posix_memalign(&p, 64, 200);
    if (error && p != kept)
        abort();
    if (error)
        exit(7);
    release(p);
}

/* One call of the allocator with two paths. */
__attribute__((noinline)) static char *helper(void) {
    char *p = malloc(120);
    KEEP_FRAME;
    return p;
}

CASE same_by_helper(void) {
    release(helper());
    KEEP_FRAME;
}

CASE crash_by_helper(void) {
    char *p = helper();
    *(volatile char *)p = 1;
    release(p);
}

int main(void) {
    static char input[256], output[256];
    setvbuf(stdin, input, _IOFBF, sizeof input);
    setvbuf(stdout, output, _IOFBF, sizeof output);
    clean();
    same();
    crash();
    crash_abort();
    crash_overflow();
    crash_child();
    hang();
    same_first();
    same_before_twice();
    fault_foreign();
    same_kept();
    differs_line();
    clean_text();
    clean_copy();
    clean_aligned();
    same_by_helper();
    crash_by_helper();
    forget();
    kept = NULL;
    puts("all done");
    return 0;
}
