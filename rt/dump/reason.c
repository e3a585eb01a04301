/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Why something could not be read. */
#include "reason.h"

#include <stdarg.h>
#include <stdio.h>

bool reason_set(struct reason *why, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why->text, sizeof why->text, format, arguments);
    va_end(arguments);
    return false;
}
