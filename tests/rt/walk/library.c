/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Functions bound lazily, and a frame of any size.
static void (*called)(const char *);

void resolver_calls(void (*function)(const char *)) {
    called = function;
}

static int seven(void) {
    return 7;
}

static int (*resolve(void))(void) {
    called("resolver");
    return seven;
}

int resolved(void) __attribute__((ifunc("resolve")));

void call(void (*function)(void)) {
    char array[SIZE];
    __asm__ volatile("" : : "r"(array) : "memory");
    function();
    __asm__ volatile("" : : "r"(array) : "memory");
}
