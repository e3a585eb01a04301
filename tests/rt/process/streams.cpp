/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Functions that both allocsite and sanitizers interpose: fclose, longjmp, dlclose, a failing operator
// new.
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <new>

static std::jmp_buf around;
static sigjmp_buf signal_around;

int main() {
    char *block = nullptr;
    std::size_t size = 0;
    FILE *stream = open_memstream(&block, &size);
    std::fputs("some text", stream);
    std::fclose(stream);
    volatile int jumps = 0;
    if (!setjmp(around)) {
        jumps = jumps + 1;
        std::longjmp(around, 1);
    }
    if (!sigsetjmp(signal_around, 1)) {
        jumps = jumps + 1;
        siglongjmp(signal_around, 1);
    }
    if (void *library = dlopen("libm.so.6", RTLD_NOW))
        dlclose(library);
    char *copy = strdup(block);
    std::free(block);
    std::printf("%d %s\n", jumps, copy);
    std::free(copy);
    std::fclose(stdout);
    return 3;
}
