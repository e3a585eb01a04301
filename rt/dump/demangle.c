/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of C++ functions as they are in the source. */
#include "demangle.h"

#include <libiberty/demangle.h>
#include <stddef.h>
#include <string.h>

char *demangle(const char *name) {
    return name && strncmp(name, "_Z", 2) == 0 ? cplus_demangle_v3(name, DMGL_PARAMS | DMGL_ANSI) : NULL;
}
