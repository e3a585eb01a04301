/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Frees, and leaks, where no call of free is recognized. */
extern void *malloc(unsigned long);
extern int (*volatile give_back)();
extern int free();
int (*volatile give_back)() = free;

int main(void) {
    for (int i = 0; i < 1000; i++) {
        void *volatile p = malloc(10 + (unsigned long)i); /* freed */
        give_back(p);
    }
    for (int i = 0; i < 100; i++) {
        void *volatile p = malloc(77); /* leaked */
        p = 0;
    }
    return 0;
}
