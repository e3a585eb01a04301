/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Running the program of an entry up to an instruction. */
#include "walk_entry.h"

/* Programs nest one level (an early return in the middle of a function). */
#define KEPT_MOST 4

struct machine {
    const struct cfi_tables *tables;
    const struct cfi_entry *entry;
    uintptr_t location, target;
    struct cfi_row *row;
    struct cfi_row initial;
    struct cfi_row kept[KEPT_MOST];
    unsigned kept_count;
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

static void advance(struct machine *machine, uint64_t delta) {
    machine->location += delta * machine->entry->code_factor;
}

static bool restore(struct machine *machine, uint64_t number) {
    *rule_of(machine->row, number) = *rule_of(&machine->initial, number);
    return true;
}

static bool keep_row(struct machine *machine) {
    if (machine->kept_count == KEPT_MOST)
        return false;
    machine->kept[machine->kept_count++] = *machine->row;
    return true;
}

static bool take_row(struct machine *machine) {
    if (machine->kept_count == 0)
        return false;
    *machine->row = machine->kept[--machine->kept_count];
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

static bool operate_extended(struct machine *machine, struct bytes *bytes, uint8_t operation) {
    switch (operation) {
    case 0x00: /* DW_CFA_nop */
        return true;
    case 0x01: /* DW_CFA_set_loc */
        machine->location = cfi_pointer(bytes, machine->entry->encoding, machine->tables->header);
        return true;
    case 0x02: /* DW_CFA_advance_loc1, 2, 4 */
    case 0x03:
    case 0x04:
        advance(machine, bytes_unsigned(bytes, 1u << (operation - 2)));
        return true;
    case 0x06: /* DW_CFA_restore_extended */
        return restore(machine, bytes_uleb(bytes));
    case 0x0a: /* DW_CFA_remember_state */
        return keep_row(machine);
    case 0x0b: /* DW_CFA_restore_state */
        return take_row(machine);
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

/* DW_CFA_advance_loc, _offset and _restore have their operand in the same byte. */
static bool operate(struct machine *machine, struct bytes *bytes) {
    uint8_t operation = bytes_byte(bytes), operand = operation & 0x3f;
    switch (operation >> 6) {
    case 1:
        advance(machine, operand);
        return true;
    case 2:
        return set_rule(rule_of(machine->row, operand), CFI_AT,
                        bytes_uleb(bytes) * machine->entry->data_factor);
    case 3:
        return restore(machine, operand);
    default:
        return operate_extended(machine, bytes, operation);
    }
}

static bool run(struct machine *machine, struct bytes program) {
    while (program.at < program.end && machine->location <= machine->target)
        if (!operate(machine, &program) || program.bad)
            return false;
    return true;
}

bool cfi_find(const struct cfi_tables *tables, uintptr_t address, struct cfi_row *row) {
    struct cfi_entry entry;
    if (!cfi_entry_find(tables, address, &entry))
        return false;
    *row = (struct cfi_row){.is_signal_frame = entry.is_signal_frame};
    struct machine machine = {
        .tables = tables, .entry = &entry, .location = entry.begin, .target = address, .row = row};
    if (!run(&machine, entry.common_program))
        return false;
    machine.initial = *row;
    machine.kept_count = 0;
    machine.location = entry.begin;
    return run(&machine, entry.program);
}
