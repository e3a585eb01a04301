/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Blocks that are only reachable from mmap'ed memory, and leaked blocks whose
// addresses are only in unused memory: in freed blocks and on stacks of ended
// threads.
#define _GNU_SOURCE
#include "common.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 1 << 16, STALE = 50 };

static void **map(int flags, int fd) {
    char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, flags, fd, 0);
    return memory == MAP_FAILED ? abort(), NULL : (void **)(memory + SIZE / 2);
}

// A list of two blocks, the first of which refers to the second.
NOINLINE static void *chain(void) {
    void **first = malloc(16); // @ possibly 7 112
    *first = malloc(32);       // @ possibly 7 224
    return first;
}

NOINLINE static void map_all(void) {
    char path[] = "mapped.XXXXXX";
    int memory = memfd_create("of the program", 0), file = mkstemp(path);
    if (ftruncate(memory, SIZE) || ftruncate(file, SIZE))
        abort();
    unlink(path);
    *map(MAP_PRIVATE | MAP_ANONYMOUS, -1) = chain();
    *map(MAP_SHARED | MAP_ANONYMOUS, -1) = chain();
    *map(MAP_SHARED, memory) = chain();
    *map(MAP_SHARED, file) = chain();
    *map(MAP_PRIVATE, file) = chain();
    void **sealed = map(MAP_PRIVATE | MAP_ANONYMOUS, -1);
    *sealed = (char *)chain() + 8;
    mprotect((char *)sealed - SIZE / 2, SIZE, PROT_READ);
    ((void **)sbrk(4 * SIZE))[3 * SIZE / 8] = chain(); // far beyond the last block
}

// After a block with its own mapping is freed, something else may be mapped there.
NOINLINE static void map_again(void) {
    void *volatile large = malloc(1 << 20);
    memset(large, 1, 1 << 20);
    uintptr_t page = (uintptr_t)large & -4096;
    free(large);
    void **memory = mmap((void *)page, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memory[1000] = malloc(48); // @ possibly 1 48
}

// A stack whose pointer is stored encoded.
static uintptr_t disguised, back;
void switch_stack(uintptr_t *from, uintptr_t to);
__asm__("switch_stack:\n\t"
        "pushq %rbp\n\tpushq %rbx\n\tpushq %r12\n\tpushq %r13\n\tpushq %r14\n\tpushq %r15\n\t"
        "movq %rsp, (%rdi)\n\tmovq %rsi, %rsp\n\t"
        "popq %r15\n\tpopq %r14\n\tpopq %r13\n\tpopq %r12\n\tpopq %rbx\n\tpopq %rbp\n\tret\n");

static void run(void) {
    void *volatile alive = malloc(64); // @ possibly 1 64
    uintptr_t sp;
    __asm__("lea -56(%%rsp), %0" : "=r"(sp));
    disguised = ~sp;
    uintptr_t unused[1];
    switch_stack(unused, back);
    lose(alive);
}

NOINLINE static void start(void) {
    uintptr_t *top = (uintptr_t *)map(MAP_PRIVATE | MAP_ANONYMOUS, -1) + SIZE / 32;
    top[6] = (uintptr_t)run;
    switch_stack(&back, (uintptr_t)top);
    back = 0;
}

// The allocator may return parts of freed blocks.
NOINLINE static void leave_freed(size_t size) {
    void **volatile freed = malloc(size);
    for (int i = 0; i < STALE; i++)
        freed[i + 10] = malloc(80); // @ lost 200 16000
    free((void *)freed);
    lose(malloc(size / 4)); // @ lost 4 2500
}

static void *leave_on_stack(void *unused) {
    void *volatile dead[STALE];
    leave_freed(1000);
    for (int i = 0; i < STALE; i++)
        dead[i] = malloc(96); // @ lost 100 9600
    leave_freed(4000);
    (void)dead;
    return unused;
}

// The runtime keeps records of the call's allocations in its own memory.
NOINLINE static void format(void) {
    char *text;
    if (asprintf(&text, "%d", 12345678) != 8) // @ lost 1 9
        abort();
    lose(text);
}

// None of its pages was ever touched.
static void map_much(void) {
    mmap(NULL, (size_t)1 << 36, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

int main(void) {
    pthread_t threads[2];
    map_much();
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, leave_on_stack, NULL);
        pthread_join(threads[i], NULL);
    }
    map_all();
    map_again();
    start();
    format();
    clear_stack();
    puts("done");
    clear_stack();
    return 3;
}
