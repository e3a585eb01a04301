/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Forks while its live bytes are rising. The child frees first, so its peak is what it inherited. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static void *large(void) {
    return malloc(1000);
}

__attribute__((noinline)) static void *small(void) {
    return malloc(10);
}

int main(void) {
    void *volatile first = large();
    void *volatile second = small();
    pid_t child = fork();
    int status = 0;
    if (child > 0)
        return waitpid(child, &status, 0) != child || status;
    free(first);
    first = small();
    (void)second;
    return 0;
}
