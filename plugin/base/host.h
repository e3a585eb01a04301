/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The LLVM that has loaded a plugin must be of the major that the plugin was built for: the layouts of
 * another one differ, and the first pass would crash. C, because a C++ call into another major may already
 * do. */
#ifndef ALLOCSITE_BASE_HOST_H
#define ALLOCSITE_BASE_HOST_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether this process has an LLVM of another major. False as well where it does not tell. */
bool host_differs(unsigned major);

/* Ends the process if it has, and says which plugin to take. program: "LLVM" or "clang". */
void host_require(unsigned major, const char *program);

#ifdef __cplusplus
}
#endif

#endif
