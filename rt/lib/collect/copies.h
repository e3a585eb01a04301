/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Code in the process that this copy of the runtime does not see. */
#ifndef ALLOCSITE_LIB_COLLECT_COPIES_H
#define ALLOCSITE_LIB_COLLECT_COPIES_H

#include <stdbool.h>

/* Whether another copy of the runtime is loaded. Takes the dynamic loader's lock. */
bool copies_exist(void);

/* Whether there are shared libraries, which the static runtime is blind to. Takes the loader's lock. */
bool copies_have_libraries(void);

#endif
