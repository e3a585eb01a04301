/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The effects of a clang command line, as far as allocsite-clang has to know them. */
#ifndef ALLOCSITE_DRIVER_INVOCATION_H
#define ALLOCSITE_DRIVER_INVOCATION_H

#include <stdbool.h>
#include <stddef.h>

struct invocation {
    bool compiles;    /* a source goes through LLVM's optimizer */
    bool links;       /* the linker runs and makes something that can be executed or loaded */
    bool links_fixed; /* -static, -static-pie: no dynamic loader at run time */
    bool bare;        /* -nostdlib and kin: nothing may be needed that is not referred to */
    bool own_cxx;     /* -static-libstdc++: the C++ library ends in what is linked */
    bool first_taken; /* a shared sanitizer runtime insists on being the first library */
};

/* Reads the arguments after the program's name, up to a NULL. Response files must have been expanded.
 * Touches nothing else; any text is accepted. */
struct invocation invocation_read(char *const *arguments);

/* ---- ld --wrap of an allocator's function, which must reach the calls that the plugin leads to the runtime.
 */

/* Whether clang's arguments, up to a NULL, say --wrap=NAME to the linker. */
bool wraps_tell(char *const *arguments, const char *name);

/* Functions whose entry in the runtime takes what they do and the site behind that. Up to a NULL. */
extern const char *const wraps_known[];

#endif
