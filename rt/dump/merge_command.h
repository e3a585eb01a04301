/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump merge. */
#ifndef ALLOCSITE_MERGE_COMMAND_H
#define ALLOCSITE_MERGE_COMMAND_H

#include "command.h"

command_function command_merge;

#endif
