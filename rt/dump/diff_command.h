/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump diff. */
#ifndef ALLOCSITE_DIFF_COMMAND_H
#define ALLOCSITE_DIFF_COMMAND_H

#include "command.h"

command_function command_diff;

#endif
