/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that the option list names: what they allocate is billed to who called them, by the address that
 * the call returns to, as what passes no site. So a list of wrappers can be tried without compiling anything.
 *
 * Where they are tell the symbols of their modules' files, which are read when a module is first met. A
 * record in one of them takes the slow path, where the stack is walked until it has left them all. */
#ifndef ALLOCSITE_LIB_BILL_LISTED_H
#define ALLOCSITE_LIB_BILL_LISTED_H

#include "lib/who/registry.h"

/* path: "none", or a file. False: there is none, or nothing in it, which is told. */
bool listed_begin(const char *path);

/* Whether the slot with that record is in one of the functions. */
bool listed_has(const struct record *);

/* The slot of who called them; the slot itself: it is not known. frame, beyond: as for walk_stack_from. */
uint32_t listed_caller(uint32_t slot, const void *frame, const void *beyond);

#endif
