/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From a frame to that of its caller, with all registers. */
#ifndef ALLOCSITE_CFI_STEP_H
#define ALLOCSITE_CFI_STEP_H

#include "cfi/cfi_entry.h"

#include <sys/user.h>

enum cfi_next {
    CFI_FOUND,
    CFI_NONE, /* nobody called it */
    CFI_LOST, /* the tables do not tell, or memory cannot be read */
};

/* row: of where the frame's function is. Found: registers are the caller's. */
enum cfi_next cfi_step(const struct cfi_tables *, const struct cfi_row *row,
                       uintptr_t registers[CFI_REGISTERS], const struct cfi_memory *);

#ifdef __x86_64__

/* As the kernel tells them of a thread. */
static inline void cfi_registers(uintptr_t to[CFI_REGISTERS], const struct user_regs_struct *from) {
    const uintptr_t all[CFI_REGISTERS] = {from->rax, from->rdx, from->rcx, from->rbx, from->rsi, from->rdi,
                                          from->rbp, from->rsp, from->r8,  from->r9,  from->r10, from->r11,
                                          from->r12, from->r13, from->r14, from->r15, from->rip};
    memcpy(to, all, sizeof all);
}

#endif

/* ---- What frames a snapshot tells of. */

/* The stack from begin to end is that of the function that the address is in. */
struct cfi_frame {
    uintptr_t begin, end;
    uintptr_t address; /* behind a call, or one more than that of an instruction */
};

/* What the kernel puts onto a stack for a signal is no larger, whatever vectors the processor has. Where it
 * returns to may be on another stack. */
enum { CFI_SIGNAL_MOST = 1 << 14 };

static inline uintptr_t cfi_frame_end(const struct cfi_row *row, uintptr_t begin, uintptr_t sp) {
    uintptr_t most = begin + CFI_SIGNAL_MOST;
    return row->is_signal_frame && (sp < begin || sp > most) ? most : sp;
}

#endif
