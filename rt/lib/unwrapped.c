/* A static link that was told --wrap=malloc reads malloc where the runtime says __real_malloc, and nothing in
 * the program refers to this file. A link that was not takes it from the archive: the real functions are then
 * the plain ones, and only calls that pass a site are seen.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _GNU_SOURCE
#include "next.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

const char unwrapped[] = "linked without --wrap";

#define PASS_ON(name, result, parameters, arguments)                                                         \
    result __real_##name parameters;                                                                         \
    result __real_##name parameters {                                                                        \
        return name arguments;                                                                               \
    }
NEXT_FUNCTIONS(PASS_ON)

int __real_fclose(FILE *stream);
int __real_fclose(FILE *stream) {
    return fclose(stream);
}
