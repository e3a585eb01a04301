/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The parts that run/start.c, which is found from outside, points to. */
#ifndef ALLOCSITE_LIB_BASE_ROOT_PARTS_H
#define ALLOCSITE_LIB_BASE_ROOT_PARTS_H

#include "root.h"

extern const struct root_store root_store;       /* store/store.c */
extern const struct root_registry root_registry; /* who/registry.c */
extern const struct root_start root_start;       /* base/state.c */
extern const struct root_control root_control;   /* count/threads.c */
extern const struct root_heap root_heap;         /* heap/shadow.c */

#endif
