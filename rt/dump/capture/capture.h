/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The graph of a running process's heap. The process stands still while its memory is copied, and only then:
 * names, types and edges are looked up in the copy. */
#ifndef ALLOCSITE_DUMP_CAPTURE_CAPTURE_H
#define ALLOCSITE_DUMP_CAPTURE_CAPTURE_H

#include "dump/graph/graph.h"

/* contents: how texts in blocks begin is wanted as well. False: *why says why, and there is nothing to free.
 */
bool capture_graph(struct graph *, unsigned pid, bool contents, struct reason *why);

/* Names the fields, variables and functions of a graph that its process has written itself, as far as the
 * files of its modules are still there. */
void capture_name(struct graph *);

#endif
