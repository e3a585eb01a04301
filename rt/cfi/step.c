/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From frame to frame by the rows of unwind tables. */
#include "cfi/step.h"

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

/* The value that a register has in the caller: the one that it has, if no rule tells. */
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
