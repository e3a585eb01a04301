/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What is called here and compiled without the plugin leaves its callers without returning.
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
__attribute__((malloc)) void *throwing(size_t n);
__attribute__((malloc)) void *ending(size_t n);
void through_c(size_t n);
void through_cxx(size_t n);
void through_pads(size_t n);
void through_cleanup(size_t n);
void end(size_t n);
void end_cleanup(size_t n);
void *wrapper(size_t n);
#ifdef __cplusplus
}
#endif
