/* allocsite: exact allocation counts for each call site. The interface for programs that are profiled.
 *
 * A program needs nothing of this: compiled with the plugin and linked with -lallocsite it is counted.
 * This header is for programs that bring their own defaults.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_H
#define ALLOCSITE_H

#define ALLOCSITE_VERSION_MAJOR 0
#define ALLOCSITE_VERSION_MINOR 1
#define ALLOCSITE_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/* To be defined by the program, if it likes to: returns the options that hold where the environment variable
 * ALLOCSITE_OPTIONS does not say otherwise, in the same form: "key=value:key=value". allocsite.7 lists the
 * keys. NULL means none.
 *
 * Called once per process, possibly before main and before any constructor has run, from whichever
 * thread allocates first: it should just return a string literal. The string stays the program's and must
 * stay valid. It must not throw. In a shared library or an executable it needs default visibility. A
 * set-user-id program ignores the environment, but not this function.
 */
const char *__allocsite_default_options(void);

#ifdef __cplusplus
}
#endif

#endif
