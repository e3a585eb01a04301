/* Expressions in unwind tables, as far as compilers and assembly in use write them: of procedure linkage
 * tables, signal frames and functions that align their stack.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "walk_bytes.h"
#include "walk_cfi.h"

#include <stddef.h>

#define DEPTH 16

struct evaluation {
    uintptr_t values[DEPTH];
    unsigned count;
    const uintptr_t *registers;
    const struct cfi_memory *memory;
};

static bool push(struct evaluation *state, uintptr_t value) {
    if (state->count == DEPTH)
        return false;
    state->values[state->count++] = value;
    return true;
}

static bool dereference(struct evaluation *state) {
    if (state->count == 0)
        return false;
    uintptr_t *top = &state->values[state->count - 1];
    return state->memory->read(state->memory->context, *top, top);
}

static bool combine(struct evaluation *state, uint8_t operation) {
    if (state->count < 2)
        return false;
    uintptr_t b = state->values[--state->count];
    uintptr_t *a = &state->values[state->count - 1];
    switch (operation) {
    case 0x1a: /* DW_OP_and */
        *a &= b;
        return true;
    case 0x1c: /* DW_OP_minus */
        *a -= b;
        return true;
    case 0x22: /* DW_OP_plus */
        *a += b;
        return true;
    case 0x24: /* DW_OP_shl */
        *a = b < 64 ? *a << b : 0;
        return true;
    case 0x2a: /* DW_OP_ge */
        *a = (intptr_t)*a >= (intptr_t)b;
        return true;
    default:
        return false;
    }
}

static bool push_constant(struct evaluation *state, struct bytes *bytes, uint8_t operation) {
    unsigned size = 1u << (operation - 0x08) / 2;
    return push(state, operation & 1 ? bytes_signed(bytes, size) : bytes_unsigned(bytes, size));
}

static bool operate(struct evaluation *state, struct bytes *bytes, uint8_t operation) {
    if (operation >= 0x08 && operation <= 0x0f) /* DW_OP_const1u to const8s */
        return push_constant(state, bytes, operation);
    if (operation >= 0x30 && operation <= 0x4f) /* DW_OP_lit0 to lit31 */
        return push(state, operation - 0x30);
    if (operation >= 0x70 && operation < 0x70 + CFI_REGISTERS) /* DW_OP_breg0 to breg16 */
        return push(state, state->registers[operation - 0x70] + bytes_sleb(bytes));
    switch (operation) {
    case 0x06: /* DW_OP_deref */
        return dereference(state);
    case 0x10: /* DW_OP_constu */
        return push(state, bytes_uleb(bytes));
    case 0x11: /* DW_OP_consts */
        return push(state, bytes_sleb(bytes));
    case 0x23: /* DW_OP_plus_uconst */
        return push(state, bytes_uleb(bytes)) && combine(state, 0x22);
    default:
        return combine(state, operation);
    }
}

bool cfi_evaluate(const struct cfi_tables *tables, int32_t expression,
                  const uintptr_t registers[CFI_REGISTERS], const uintptr_t *cfa,
                  const struct cfi_memory *memory, uintptr_t *result) {
    struct evaluation state = {.registers = registers, .memory = memory};
    struct bytes bytes =
        bytes_between(tables->begin, tables->end, tables->begin + (uintptr_t)(intptr_t)expression);
    uint64_t size = bytes_uleb(&bytes);
    struct bytes code = bytes;
    bytes_skip(&bytes, size);
    code.end = bytes.at;
    if (bytes.bad || (cfa && !push(&state, *cfa)))
        return false;
    while (code.at < code.end)
        if (!operate(&state, &code, bytes_byte(&code)) || code.bad)
            return false;
    if (state.count == 0)
        return false;
    *result = state.values[state.count - 1];
    return true;
}
