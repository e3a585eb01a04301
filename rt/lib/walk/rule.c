/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes rules from unwind tables. */
#define _GNU_SOURCE
#include "lib/walk/rule.h"

#include "lib/base/macros.h"

#include "format.h"
#include "lib/base/os.h"
#include "lib/base/stack.h"
#include "lib/registry/modules.h"

#include <string.h>
#include <ucontext.h>

uint64_t rule_table[1u << RULE_TABLE_BITS];

static bool any_rule_kept;

#define RETURN_WORD (-(int32_t)sizeof(void *))

/* Returns how many words below the CFA the caller's frame pointer is saved; 0 if it still is in its register;
 * -1 if a rule cannot express it. */
static int32_t saved_words(const struct cfi_rule *rule) {
    if (rule->kind == CFI_SAME || rule->kind == CFI_UNDEFINED)
        return 0;
    int32_t words = rule->value / RETURN_WORD;
    bool fits = rule->kind == CFI_AT && rule->value % RETURN_WORD == 0 && words > 1 &&
                words < (int32_t)RULE_SAVED_FROM;
    return fits ? words : -1;
}

#define PLACE_OF(number) offsetof(ucontext_t, uc_mcontext.gregs[number])
_Static_assert(SIGNAL_FP == PLACE_OF(REG_RBP) && SIGNAL_SP == PLACE_OF(REG_RSP) &&
                   SIGNAL_PC == PLACE_OF(REG_RIP),
               "the kernel's frame");

/* Reads from an imaginary memory in which each word contains its address. */
static bool read_address(void *unused, uintptr_t address, uintptr_t *word) {
    (void)unused;
    *word = address;
    return true;
}

/* Returns whether the row finds a register at this offset in the kernel's signal frame. */
static bool is_at(const struct walk_place *place, const struct cfi_rule *rule, uint8_t kind,
                  uintptr_t offset) {
    static const uintptr_t registers[CFI_REGISTERS] = {[CFI_RSP] = 1 << 20};
    struct cfi_memory memory = {read_address, NULL};
    uintptr_t found, cfa = 0;
    return rule->kind == kind &&
           cfi_evaluate(&place->tables, rule->value, registers, &cfa, &memory, &found) &&
           found == registers[CFI_RSP] + offset;
}

static bool is_kernel_frame(const struct walk_place *place) {
    const struct cfi_row *row = &place->row;
    return row->is_signal_frame && is_at(place, &row->cfa, CFI_IS_EXPRESSION, SIGNAL_SP) &&
           is_at(place, &row->registers[CFI_RBP], CFI_AT_EXPRESSION, SIGNAL_FP) &&
           is_at(place, &row->registers[CFI_RETURN], CFI_AT_EXPRESSION, SIGNAL_PC);
}

static uint32_t rule_of_row(const struct walk_place *place) {
    const struct cfi_row *row = &place->row;
    const struct cfi_rule *cfa = &row->cfa, *back = &row->registers[CFI_RETURN];
    if (back->kind == CFI_UNDEFINED)
        return RULE_MAKE(RULE_OUTERMOST, 0, 0);
    if (is_kernel_frame(place))
        return RULE_SIGNAL;
    int32_t words = saved_words(&row->registers[CFI_RBP]);
    uint32_t saved = words ? RULE_SAVED((uint32_t)words) : RULE_NOT_SAVED;
    uint32_t offset = (uint32_t)cfa->value / sizeof(void *);
    bool fits = !row->is_signal_frame && words >= 0 && back->kind == CFI_AT && back->value == RETURN_WORD &&
                row->registers[CFI_RSP].kind == CFI_SAME && cfa->kind == CFI_IS && cfa->value > 0 &&
                cfa->value % -RETURN_WORD == 0 && offset <= RULE_OFFSET_MOST;
    if (fits && cfa->base == CFI_RSP && (uint32_t)words <= offset)
        return RULE_MAKE(RULE_SP, saved, offset);
    if (fits && cfa->base == CFI_RBP)
        return RULE_MAKE(offset == 2 && words == 2 ? RULE_POINTER : RULE_FP, saved, offset);
    return RULE_MAKE(RULE_HARD, 0, 0);
}

/* The runtime has tables. If they are missing, frame pointers would skip the caller's frames. */
static uint32_t rule_without_row(uintptr_t pc) {
    return walk_is_runtime(pc) ? RULE_MAKE(RULE_NOWHERE, 0, 0) : RULE_GUESSED;
}

/* Reads the mark before the code of a function and returns its bits. */
static uint32_t rule_of_mark(uintptr_t begin) {
    uintptr_t at = begin - sizeof(uint32_t);
    uint32_t mark;
    if (begin % 4096 == 0 && !os_can_read((const void *)at))
        return 0;
    memcpy(&mark, (const void *)at, sizeof mark);
    if (mark == ALLOCSITE_CONTEXT_MARK_PASSES)
        return RULE_CONTEXT | RULE_PASSES;
    return mark == ALLOCSITE_CONTEXT_MARK ? RULE_CONTEXT : 0;
}

/* Sets is_lasting if the rule holds until the module is unloaded. */
static uint32_t rule_make(uintptr_t pc, bool *is_lasting) {
    struct walk_place place;
    *is_lasting = false;
    if (!rule_is_address(pc))
        return RULE_MAKE(RULE_NOWHERE, 0, 0);
    walk_place_find(&place, pc, false);
    if (place.where == WALK_DATA)
        return RULE_MAKE(RULE_NOWHERE, 0, 0);
    *is_lasting = place.where == WALK_CODE;
    uint32_t rule = place.frame == WALK_HAS_ROW ? rule_of_row(&place)
                    : place.frame == WALK_FIRST ? RULE_MAKE(RULE_OUTERMOST, 0, 0)
                                                : rule_without_row(pc);
    if (place.frame == WALK_HAS_ROW)
        rule |= rule_of_mark(place.row.begin);
    return walk_is_runtime(pc) ? rule | RULE_RUNTIME : rule;
}

static void rule_keep(uintptr_t pc, uint32_t rule, uint32_t unloads_before) {
    uint64_t *word = rule_word(pc);
    if (!unloads_none_since(unloads_before))
        return;
    if (!__atomic_load_n(&any_rule_kept, __ATOMIC_RELAXED))
        __atomic_store_n(&any_rule_kept, true, __ATOMIC_SEQ_CST);
    __atomic_store_n(word, rule_tag(pc) | rule, __ATOMIC_SEQ_CST);
    if (!unloads_none_since(unloads_before))
        __atomic_store_n(word, 0, __ATOMIC_RELAXED);
}

STACK_CALL(uint32_t, rule_find, uintptr_t pc) {
    bool is_lasting;
    uint32_t before = unloads_begun();
    uint32_t rule = rule_make(pc, &is_lasting);
    if (is_lasting)
        rule_keep(pc, rule, before);
    return rule;
}

void walk_forget(void) {
    if (!__atomic_load_n(&any_rule_kept, __ATOMIC_SEQ_CST))
        return;
    for (size_t i = 0; i < sizeof rule_table / sizeof *rule_table; i++)
        if (__atomic_load_n(&rule_table[i], __ATOMIC_RELAXED))
            __atomic_store_n(&rule_table[i], 0, __ATOMIC_RELAXED);
}
