/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a command is, as far as a library can be preloaded into it. */
#ifndef ALLOCSITE_DUMP_RUN_PROGRAM_H
#define ALLOCSITE_DUMP_RUN_PROGRAM_H

#include "dump/base/complain.h"

/* Looks at the file that the command is, found as execvp(3) does, and at the interpreters of scripts. True:
 * nothing can be preloaded into it, *why says why. */
bool program_refuses(const char *command, struct reason *why);

#endif
