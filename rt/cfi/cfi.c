/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs the program of an entry up to an instruction. */
#include "cfi/cfi.h"

#include <stddef.h>

/* Programs nest one level (an early return in the middle of a function). */
#define ROWS_MOST 4

struct machine {
    const struct cfi_tables *tables;
    const struct cfi_entry *entry;
    uintptr_t location, target;
    struct cfi_row *row;
    struct cfi_row initial;
    struct cfi_row stack[ROWS_MOST];
    unsigned stack_count;
};

static struct cfi_rule *rule_of(struct cfi_row *row, uint64_t number) {
    return &row->registers[number < CFI_REGISTERS ? number : CFI_REGISTERS];
}

static bool set_rule(struct cfi_rule *rule, enum cfi_kind kind, uint64_t value) {
    rule->kind = (uint8_t)kind;
    rule->value = (int32_t)value;
    return (int64_t)value == rule->value;
}

static bool set_expression(struct machine *machine, struct bytes *bytes, struct cfi_rule *rule,
                           enum cfi_kind kind) {
    uintptr_t at = bytes->at;
    bytes_skip(bytes, bytes_uleb(bytes));
    return set_rule(rule, kind, at - machine->tables->begin);
}

static void machine_advance(struct machine *machine, uint64_t delta) {
    machine->location += delta * machine->entry->code_factor;
}

static bool machine_restore(struct machine *machine, uint64_t number) {
    *rule_of(machine->row, number) = *rule_of(&machine->initial, number);
    return true;
}

static bool machine_push_row(struct machine *machine) {
    if (machine->stack_count == ROWS_MOST)
        return false;
    machine->stack[machine->stack_count++] = *machine->row;
    return true;
}

static bool machine_pop_row(struct machine *machine) {
    if (machine->stack_count == 0)
        return false;
    *machine->row = machine->stack[--machine->stack_count];
    return true;
}

static bool set_register(struct machine *machine, struct bytes *bytes, uint8_t operation) {
    struct cfi_rule *rule = rule_of(machine->row, bytes_uleb(bytes));
    uint64_t factor = machine->entry->data_factor;
    switch (operation) {
    case 0x05: /* DW_CFA_offset_extended */
        return set_rule(rule, CFI_AT, bytes_uleb(bytes) * factor);
    case 0x07: /* DW_CFA_undefined */
        return set_rule(rule, CFI_UNDEFINED, 0);
    case 0x08: /* DW_CFA_same_value */
        return set_rule(rule, CFI_SAME, 0);
    case 0x09: /* DW_CFA_register */
        return set_rule(rule, CFI_REGISTER, bytes_uleb(bytes));
    case 0x10: /* DW_CFA_expression */
        return set_expression(machine, bytes, rule, CFI_AT_EXPRESSION);
    case 0x11: /* DW_CFA_offset_extended_sf */
        return set_rule(rule, CFI_AT, bytes_sleb(bytes) * factor);
    case 0x14: /* DW_CFA_val_offset */
        return set_rule(rule, CFI_IS, bytes_uleb(bytes) * factor);
    case 0x15: /* DW_CFA_val_offset_sf */
        return set_rule(rule, CFI_IS, bytes_sleb(bytes) * factor);
    case 0x16: /* DW_CFA_val_expression */
        return set_expression(machine, bytes, rule, CFI_IS_EXPRESSION);
    case 0x2f: /* DW_CFA_GNU_negative_offset_extended */
        return set_rule(rule, CFI_AT, -(bytes_uleb(bytes) * factor));
    default:
        return false;
    }
}

static bool set_cfa(struct machine *machine, struct bytes *bytes, uint8_t operation) {
    struct cfi_rule *cfa = &machine->row->cfa;
    uint64_t factor = machine->entry->data_factor;
    if (operation == 0x0f) /* DW_CFA_def_cfa_expression */
        return set_expression(machine, bytes, cfa, CFI_IS_EXPRESSION);
    uint64_t value = (uint64_t)(int64_t)cfa->value, base = cfa->base;
    if (operation == 0x0c || operation == 0x0d || operation == 0x12) /* DW_CFA_def_cfa, _register, _sf */
        base = bytes_uleb(bytes);
    if (operation == 0x0c || operation == 0x0e) /* DW_CFA_def_cfa, _offset */
        value = bytes_uleb(bytes);
    else if (operation == 0x12 || operation == 0x13) /* DW_CFA_def_cfa_sf, _offset_sf */
        value = bytes_sleb(bytes) * factor;
    cfa->base = (uint8_t)base;
    return base < CFI_RETURN && set_rule(cfa, CFI_IS, value);
}

static bool machine_step_extended(struct machine *machine, struct bytes *bytes, uint8_t operation) {
    switch (operation) {
    case 0x00: /* DW_CFA_nop */
        return true;
    case 0x01: /* DW_CFA_set_loc */
        machine->location = cfi_pointer(bytes, machine->entry->encoding, machine->tables->header);
        return true;
    case 0x02: /* DW_CFA_advance_loc1, 2, 4 */
    case 0x03:
    case 0x04:
        machine_advance(machine, bytes_unsigned(bytes, 1u << (operation - 2)));
        return true;
    case 0x06: /* DW_CFA_restore_extended */
        return machine_restore(machine, bytes_uleb(bytes));
    case 0x0a: /* DW_CFA_remember_state */
        return machine_push_row(machine);
    case 0x0b: /* DW_CFA_restore_state */
        return machine_pop_row(machine);
    case 0x0c:
    case 0x0d:
    case 0x0e:
    case 0x0f:
    case 0x12:
    case 0x13:
        return set_cfa(machine, bytes, operation);
    case 0x2e: /* DW_CFA_GNU_args_size */
        bytes_uleb(bytes);
        return true;
    default:
        return set_register(machine, bytes, operation);
    }
}

/* DW_CFA_advance_loc, _offset and _restore have an operand in the same byte. */
static bool machine_step(struct machine *machine, struct bytes *bytes) {
    uint8_t operation = bytes_byte(bytes), operand = operation & 0x3f;
    switch (operation >> 6) {
    case 1:
        machine_advance(machine, operand);
        return true;
    case 2:
        return set_rule(rule_of(machine->row, operand), CFI_AT,
                        bytes_uleb(bytes) * machine->entry->data_factor);
    case 3:
        return machine_restore(machine, operand);
    default:
        return machine_step_extended(machine, bytes, operation);
    }
}

static bool machine_run(struct machine *machine, struct bytes program) {
    while (program.at < program.end && machine->location <= machine->target)
        if (!machine_step(machine, &program) || program.bad)
            return false;
    return true;
}

bool cfi_find(const struct cfi_tables *tables, uintptr_t address, struct cfi_row *row) {
    struct cfi_entry entry;
    if (!cfi_entry_find(tables, address, &entry))
        return false;
    *row = (struct cfi_row){.begin = entry.begin, .is_signal_frame = entry.is_signal_frame};
    struct machine machine = {
        .tables = tables, .entry = &entry, .location = entry.begin, .target = address, .row = row};
    if (!machine_run(&machine, entry.common_program))
        return false;
    machine.initial = *row;
    machine.stack_count = 0;
    machine.location = entry.begin;
    return machine_run(&machine, entry.program);
}

/* ---- Expressions in unwind tables, as far as compilers and assembly use them: for procedure linkage tables,
 * signal frames and functions that align their stack. */

#define DEPTH 16

struct evaluation {
    uintptr_t values[DEPTH];
    unsigned count;
    const uintptr_t *registers;
    const struct cfi_memory *memory;
};

static bool evaluation_push(struct evaluation *state, uintptr_t value) {
    if (state->count == DEPTH)
        return false;
    state->values[state->count++] = value;
    return true;
}

static bool evaluation_dereference(struct evaluation *state) {
    if (state->count == 0)
        return false;
    uintptr_t *top = &state->values[state->count - 1];
    return state->memory->read(state->memory->context, *top, top);
}

static bool evaluation_combine(struct evaluation *state, uint8_t operation) {
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

static bool evaluation_push_constant(struct evaluation *state, struct bytes *bytes, uint8_t operation) {
    unsigned size = 1u << (operation - 0x08) / 2;
    return evaluation_push(state, operation & 1 ? bytes_signed(bytes, size) : bytes_unsigned(bytes, size));
}

static bool evaluation_step(struct evaluation *state, struct bytes *bytes, uint8_t operation) {
    if (operation >= 0x08 && operation <= 0x0f) /* DW_OP_const1u to const8s */
        return evaluation_push_constant(state, bytes, operation);
    if (operation >= 0x30 && operation <= 0x4f) /* DW_OP_lit0 to lit31 */
        return evaluation_push(state, operation - 0x30);
    if (operation >= 0x70 && operation < 0x70 + CFI_REGISTERS) /* DW_OP_breg0 to breg16 */
        return evaluation_push(state, state->registers[operation - 0x70] + bytes_sleb(bytes));
    switch (operation) {
    case 0x06: /* DW_OP_deref */
        return evaluation_dereference(state);
    case 0x10: /* DW_OP_constu */
        return evaluation_push(state, bytes_uleb(bytes));
    case 0x11: /* DW_OP_consts */
        return evaluation_push(state, bytes_sleb(bytes));
    case 0x23: /* DW_OP_plus_uconst */
        return evaluation_push(state, bytes_uleb(bytes)) && evaluation_combine(state, 0x22);
    default:
        return evaluation_combine(state, operation);
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
    if (bytes.bad || (cfa && !evaluation_push(&state, *cfa)))
        return false;
    while (code.at < code.end)
        if (!evaluation_step(&state, &code, bytes_byte(&code)) || code.bad)
            return false;
    if (state.count == 0)
        return false;
    *result = state.values[state.count - 1];
    return true;
}

/* ---- Steps from frame to frame by the rows of unwind tables. */

struct step {
    const struct cfi_tables *tables;
    const struct cfi_memory *memory;
    const uintptr_t *registers; /* of the frame */
    uintptr_t cfa;
};

static bool read_word(const struct step *step, uintptr_t at, uintptr_t *word) {
    return step->memory->read(step->memory->context, at, word);
}

static bool find_cfa(struct step *step, const struct cfi_rule *rule) {
    if (rule->kind == CFI_IS_EXPRESSION)
        return cfi_evaluate(step->tables, rule->value, step->registers, NULL, step->memory, &step->cfa);
    step->cfa = step->registers[rule->base] + (uintptr_t)(intptr_t)rule->value;
    return rule->kind == CFI_IS;
}

/* Finds a register's value in the caller. A register without a rule keeps its value. */
static bool find_register(const struct step *step, const struct cfi_rule *rule, uintptr_t *value) {
    uintptr_t place = step->cfa + (uintptr_t)(intptr_t)rule->value;
    switch ((enum cfi_kind)rule->kind) {
    case CFI_SAME:
    case CFI_UNDEFINED:
        return true;
    case CFI_AT:
        return read_word(step, place, value);
    case CFI_IS:
        *value = place;
        return true;
    case CFI_REGISTER:
        *value = step->registers[(uint32_t)rule->value < CFI_REGISTERS ? rule->value : CFI_RETURN];
        return (uint32_t)rule->value < CFI_REGISTERS;
    case CFI_AT_EXPRESSION:
        return cfi_evaluate(step->tables, rule->value, step->registers, &step->cfa, step->memory, &place) &&
               read_word(step, place, value);
    case CFI_IS_EXPRESSION:
        return cfi_evaluate(step->tables, rule->value, step->registers, &step->cfa, step->memory, value);
    }
    return false;
}

enum cfi_next cfi_step(const struct cfi_tables *tables, const struct cfi_row *row,
                       uintptr_t registers[CFI_REGISTERS], const struct cfi_memory *memory) {
    struct step step = {.tables = tables, .memory = memory, .registers = registers};
    uintptr_t callers[CFI_REGISTERS];
    if (row->registers[CFI_RETURN].kind == CFI_UNDEFINED)
        return CFI_NONE;
    if (row->registers[CFI_RETURN].kind == CFI_SAME || !find_cfa(&step, &row->cfa))
        return CFI_LOST;
    memcpy(callers, registers, sizeof callers);
    callers[CFI_RSP] = step.cfa;
    for (unsigned i = 0; i < CFI_REGISTERS; i++)
        if (!find_register(&step, &row->registers[i], &callers[i]))
            return CFI_LOST;
    memcpy(registers, callers, sizeof callers);
    return CFI_FOUND;
}
