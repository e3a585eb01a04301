/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The options of this run. */
#ifndef ALLOCSITE_LIB_RUN_START_H
#define ALLOCSITE_LIB_RUN_START_H

#include "model/options.h"

/* Valid once runtime_start has been called with the environment there. */
const struct options *runtime_options(void);

/* Whether this process is a child that was forked since. */
bool runtime_was_forked(void);

/* Has the report written when the process exits. */
void exit_install(void);

#endif
