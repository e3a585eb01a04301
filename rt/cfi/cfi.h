/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Unwind tables (DWARF call frame information), which may be damaged: nothing is read past their end. */
#ifndef ALLOCSITE_CFI_CFI_H
#define ALLOCSITE_CFI_CFI_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/user.h>

/* The bytes left to read. Addresses, not pointers, because a table may contain any value. */
struct bytes {
    uintptr_t at, end;
    bool bad; /* a read went past the end; all later numbers are 0 */
};

static inline struct bytes bytes_between(uintptr_t begin, uintptr_t end, uintptr_t at) {
    return at < begin || at > end ? (struct bytes){end, end, true} : (struct bytes){at, end, false};
}

static inline void bytes_skip(struct bytes *bytes, uint64_t count) {
    bytes->bad |= count > bytes->end - bytes->at;
    bytes->at = bytes->bad ? bytes->end : bytes->at + count;
}

/* Fast, because most data in the tables are single bytes. */
static inline uint8_t bytes_byte(struct bytes *bytes) {
    if (__builtin_expect(!bytes->bad && bytes->at < bytes->end, 1))
        return *(const uint8_t *)bytes->at++;
    bytes->bad = true;
    bytes->at = bytes->end;
    return 0;
}

/* size: 1, 2, 4 or 8. Inline, so that a constant size is one load. */
static inline __attribute__((always_inline)) uint64_t bytes_unsigned(struct bytes *bytes, unsigned size) {
    uint64_t value = 0;
    uintptr_t at = bytes->at;
    bytes_skip(bytes, size);
    if (!bytes->bad)
        memcpy(&value, (const void *)at, size); /* little-endian */
    return value;
}

static inline uint64_t bytes_signed(struct bytes *bytes, unsigned size) {
    unsigned unused = 64 - 8 * size;
    return (uint64_t)((int64_t)(bytes_unsigned(bytes, size) << unused) >> unused);
}

static inline uint64_t bytes_leb(struct bytes *bytes, bool is_signed) {
    uint64_t value = 0, byte;
    unsigned shift = 0;
    do {
        byte = bytes_byte(bytes);
        if (shift < 64)
            value |= (byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    if (is_signed && shift < 64 && byte & 0x40)
        value |= -(UINT64_C(1) << shift);
    return value;
}

static inline uint64_t bytes_uleb(struct bytes *bytes) {
    return bytes_leb(bytes, false);
}

static inline uint64_t bytes_sleb(struct bytes *bytes) {
    return bytes_leb(bytes, true);
}

/* ---- Looking up a code address in the unwind tables of a module. Pure functions.
 *
 * The format: DWARF 5, 6.4 "Call Frame Information", and its variant in .eh_frame and .eh_frame_hdr (Linux
 * Standard Base 5, Core, 10.6, and the x86-64 psABI). */

/* Only memory in [begin, end), which is less than 2 GiB, is read. */
struct cfi_tables {
    uintptr_t begin, end;
    uintptr_t header; /* .eh_frame_hdr; 0: none */
};

/* DWARF register numbers of x86-64. CFI_RETURN is the return address. */
enum { CFI_RBX = 3, CFI_RBP = 6, CFI_RSP = 7, CFI_RETURN = 16, CFI_REGISTERS };

/* A register's value in the caller. CFA, canonical frame address: its stack pointer before the call. */
enum cfi_kind {
    CFI_SAME,
    CFI_UNDEFINED,
    CFI_AT,            /* in memory at CFA + value */
    CFI_IS,            /* CFA + value; for the CFA itself: register + value */
    CFI_REGISTER,      /* in the register with that number */
    CFI_AT_EXPRESSION, /* in memory at the result of the expression */
    CFI_IS_EXPRESSION, /* the result of the expression; value: its distance from cfi_tables.begin */
};

struct cfi_rule {
    uint8_t kind, base; /* base: the register for the CFA */
    int32_t value;
};

struct cfi_row {
    struct cfi_rule cfa;
    struct cfi_rule registers[CFI_REGISTERS + 1]; /* the last one is for all untracked registers */
    uintptr_t begin;                              /* start of the function's code, or of a part of it */
    bool is_signal_frame; /* it returns to where a signal arrived, not to a return address */
};

/* Finds the row for an instruction. Returns false if there is none or the tables are damaged. */
bool cfi_find(const struct cfi_tables *, uintptr_t address, struct cfi_row *);

/* ---- Expressions. */

/* Evaluates an expression of a row with the registers of the frame. cfa: the initial value on the stack, for
 * registers; NULL: none. read: reads a word, and returns false if it cannot be read. Returns false if there
 * is no result. */
struct cfi_memory {
    bool (*read)(void *context, uintptr_t address, uintptr_t *word);
    void *context;
};
bool cfi_evaluate(const struct cfi_tables *, int32_t expression, const uintptr_t registers[CFI_REGISTERS],
                  const uintptr_t *cfa, const struct cfi_memory *, uintptr_t *result);

/* ---- The entries of unwind tables: FDE and CIE combined. */

struct cfi_entry {
    struct bytes program, common_program;
    uint64_t code_factor, data_factor;
    uintptr_t begin, size; /* of the code */
    uint8_t encoding;      /* of addresses */
    bool is_signal_frame, has_augmentation;
};

/* Finds the entry whose code holds address. Returns false if there is none or the tables are damaged. */
bool cfi_entry_find(const struct cfi_tables *, uintptr_t address, struct cfi_entry *);

/* Reads a pointer; header: the address of .eh_frame_hdr. */
uintptr_t cfi_pointer(struct bytes *, uint8_t encoding, uintptr_t header);

/* ---- From a frame to its caller's frame, with all registers. */

enum cfi_next {
    CFI_FOUND,
    CFI_NONE, /* the frame has no caller */
    CFI_LOST, /* the tables have no rule, or memory cannot be read */
};

/* row: for the frame's code address. Replaces the registers by the caller's if it returns CFI_FOUND. */
enum cfi_next cfi_step(const struct cfi_tables *, const struct cfi_row *row,
                       uintptr_t registers[CFI_REGISTERS], const struct cfi_memory *);

/* Converts the registers that the kernel reports for a thread. */
static inline void cfi_registers(uintptr_t to[CFI_REGISTERS], const struct user_regs_struct *from) {
    const uintptr_t all[CFI_REGISTERS] = {from->rax, from->rdx, from->rcx, from->rbx, from->rsi, from->rdi,
                                          from->rbp, from->rsp, from->r8,  from->r9,  from->r10, from->r11,
                                          from->r12, from->r13, from->r14, from->r15, from->rip};
    memcpy(to, all, sizeof all);
}

/* ---- Frames of a snapshot. */

/* The stack of a frame from begin to end, and the function that it belongs to. */
struct cfi_frame {
    uintptr_t begin, end;
    uintptr_t address; /* a return address, or an instruction's address plus 1 */
};

/* Limit of the kernel's signal frame on x86-64. The frame that it returns to may be on another stack. */
enum { CFI_SIGNAL_MOST = 1 << 14 };

static inline uintptr_t cfi_frame_end(const struct cfi_row *row, uintptr_t begin, uintptr_t sp) {
    uintptr_t most = begin + CFI_SIGNAL_MOST;
    return row->is_signal_frame && (sp < begin || sp > most) ? most : sp;
}

#endif
