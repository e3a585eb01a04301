/* What a module's unwind tables tell of a place in its code. Pure, and expects tables to be damaged.
 *
 * The format: DWARF 5, 6.4 "Call Frame Information", with what the Linux Standard Base 5 (Core, 10.6) and the
 * x86-64 psABI make of it for .eh_frame and .eh_frame_hdr.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_WALK_CFI_H
#define ALLOCSITE_WALK_CFI_H

#include <stdbool.h>
#include <stdint.h>

/* Nothing outside of [begin, end), which is less than 2 GiB, is read. */
struct cfi_tables {
    uintptr_t begin, end;
    uintptr_t header; /* .eh_frame_hdr; 0: there is none */
};

/* Numbers of registers, x86-64. CFI_RETURN stands for the return address. */
enum { CFI_RBX = 3, CFI_RBP = 6, CFI_RSP = 7, CFI_RETURN = 16, CFI_REGISTERS };

/* How the value of a register in the caller is found. CFA: the canonical frame address, which is what the
 * caller's stack pointer was before the call. */
enum cfi_kind {
    CFI_SAME,
    CFI_UNDEFINED,
    CFI_AT,            /* in memory at CFA + value */
    CFI_IS,            /* CFA + value; for the CFA itself: register + value */
    CFI_REGISTER,      /* in the register of that number */
    CFI_AT_EXPRESSION, /* in memory at the result of the expression, ... */
    CFI_IS_EXPRESSION, /* the result; value: where its size and bytes stand behind cfi_tables.begin */
};

struct cfi_rule {
    uint8_t kind, base; /* base: register of the CFA */
    int32_t value;
};

struct cfi_row {
    struct cfi_rule cfa;
    struct cfi_rule registers[CFI_REGISTERS + 1]; /* the last one: all that are not tracked */
    bool is_signal_frame; /* what it returns to is where a signal came, and not behind a call */
};

/* The row for an instruction. False: the tables have none, or are damaged. */
bool cfi_find(const struct cfi_tables *, uintptr_t address, struct cfi_row *);

/* ---- walk_expression.c ---- */

/* An expression of such a row, with the registers of the frame, and on its stack of values the CFA (for
 * registers; NULL: nothing). read: of a word of memory; false: it cannot be read. False: no result. */
struct cfi_memory {
    bool (*read)(void *context, uintptr_t address, uintptr_t *word);
    void *context;
};
bool cfi_evaluate(const struct cfi_tables *, int32_t expression, const uintptr_t registers[CFI_REGISTERS],
                  const uintptr_t *cfa, const struct cfi_memory *, uintptr_t *result);

#endif
