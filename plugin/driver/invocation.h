/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The effects of a clang command line that allocsite-clang depends on. */
#ifndef ALLOCSITE_DRIVER_INVOCATION_H
#define ALLOCSITE_DRIVER_INVOCATION_H

#include <stdbool.h>
#include <stddef.h>

struct invocation {
    bool compiles;         /* LLVM's optimizer runs on a source */
    bool links;            /* the linker produces an executable or a shared object */
    bool links_static;     /* -static, -static-pie: no dynamic loader at run time */
    bool bare;             /* -nostdlib and similar: link the runtime only if it is referred to */
    bool links_cxx_static; /* -static-libstdc++: the C++ library is part of the result */
    bool links_shared;     /* -shared: the result is a shared object */
    bool sanitizer_first;  /* a shared sanitizer runtime must be the first library */
};

/* Parses the arguments after the program's name, up to a NULL. Response files must have been expanded. Has no
 * side effects and accepts any text. */
struct invocation invocation_read(char *const *arguments);

/* ---- ld --wrap: a wrapped allocator must also receive the calls that the plugin redirected to the
 * runtime. */

/* Returns whether clang's arguments, up to a NULL, pass --wrap=NAME to the linker. */
bool linker_wraps(char *const *arguments, const char *name);

/* Functions whose entry point in the runtime takes the same arguments and then the site. Ends with NULL. */
extern const char *const wrappable_functions[];

#endif
