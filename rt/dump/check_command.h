/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump check. */
#ifndef ALLOCSITE_CHECK_COMMAND_H
#define ALLOCSITE_CHECK_COMMAND_H

#include "command.h"

command_function command_check;

#endif
