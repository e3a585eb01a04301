/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump top. */
#ifndef ALLOCSITE_TOP_COMMAND_H
#define ALLOCSITE_TOP_COMMAND_H

#include "command.h"

command_function command_top;

#endif
