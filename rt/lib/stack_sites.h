/* Which slots keep stacks: stack_sites=PATTERN,...
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_STACK_SITES_H
#define ALLOCSITE_STACK_SITES_H

#include "runtime.h"

/* patterns (../wildcard.h): separated by commas. One of them must match the site's file, file:line, function
 * with or without its parameters, callee, type or id, or those of a function that it was inlined into; of an
 * unsited caller the module. Files and modules match from any slash on. */
bool stack_sites_select(const char *patterns, const struct record *);

#endif
