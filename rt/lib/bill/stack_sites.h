/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which slots keep stacks: stack_sites=PATTERN,... */
#ifndef ALLOCSITE_LIB_BILL_STACK_SITES_H
#define ALLOCSITE_LIB_BILL_STACK_SITES_H

#include "lib/who/registry.h"

/* patterns (rt/base/wildcard.h): separated by commas. One of them must match the site's file, file:line,
 * function with or without its parameters, callee, type or id, or those of a function that it was inlined
 * into; of an unsited caller the module. Files and modules match from any slash on. */
bool stack_sites_select(const char *patterns, const struct record *);

/* Says which of the patterns have matched nothing. */
void stack_sites_tell(const char *patterns);

#endif
