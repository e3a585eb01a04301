/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The module that an address is in, as far as walks need it: where its code and its unwind tables are.
 *
 * Lock-free and safe in signal handlers. */
#ifndef ALLOCSITE_LIB_WALK_MODULE_H
#define ALLOCSITE_LIB_WALK_MODULE_H

#include "cfi/cfi.h"

enum walk_where {
    WALK_NO_MODULE, /* perhaps code that was made at run time */
    WALK_DATA,      /* a module, which has no code there */
    WALK_CODE,
};

enum walk_frame {
    WALK_UNTOLD, /* no table tells of its frame */
    WALK_BEGUN,  /* nobody called it: its address was put where the return address of another is (makecontext)
                  */
    WALK_TOLD,
};

/* The frame of code at pc, as far as it is known. is_next: pc is the next instruction (after a signal), and
 * not what stands behind a call, which may be the last instruction of its function. tables, row: filled in if
 * it is told. */
struct walk_place {
    enum walk_where where;
    enum walk_frame frame;
    struct cfi_tables tables;
    struct cfi_row row;
};
void walk_place_find(struct walk_place *, uintptr_t pc, bool is_next);

/* Whether it is in the runtime. */
bool walk_is_own(uintptr_t address);

#endif
