/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Calls a wrapper of another file.
// With DIRECT ends well if the last call comes there without a detour (1) or by a stand-in (0): so it is told
// whether the linker has found the twin.
#include <stdbool.h>
#include <stdlib.h>

extern const void *twin_caller;
extern const char __start_users[], __stop_users[];
__attribute__((malloc)) void *twin_malloc(size_t n);

__attribute__((noinline, section("users"))) static bool is_direct(void) {
    for (int i = 0; i < 3; i++) {
        void *volatile block = twin_malloc(10); // SITE 3 30
        free(block);
    }
    return (const char *)twin_caller > __start_users && (const char *)twin_caller <= __stop_users;
}

int main(void) {
    bool direct = is_direct();
#ifndef DIRECT
#define DIRECT direct
#endif
    return direct != DIRECT;
}
