/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks that the LLVM that loads a plugin has the major that the plugin was built for. Classes of another
 * major have other layouts, so the first pass would crash. Written in C because even a call of a C++ function
 * may crash in another major. */
#ifndef ALLOCSITE_BASE_HOST_H
#define ALLOCSITE_BASE_HOST_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns whether this process has an LLVM of another major. Returns false if the major is unknown. */
bool host_differs(unsigned major);

/* Ends the process if the majors differ, and prints which plugin to use. program: "LLVM" or "clang". */
void host_require(unsigned major, const char *program);

#ifdef __cplusplus
}
#endif

#endif
