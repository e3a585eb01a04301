/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump report. */
#ifndef ALLOCSITE_REPORT_COMMAND_H
#define ALLOCSITE_REPORT_COMMAND_H

#include "command.h"

command_function command_report;

#endif
