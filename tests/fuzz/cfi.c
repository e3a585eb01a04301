/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Unwind tables, as the runtime reads them when it walks a stack.
 *
 * Four bytes: address of the instruction relative to the tables. The rest is .eh_frame_hdr and .eh_frame. */
#include "fuzz.h"

#include "cfi/cfi.h"

#include <string.h>

struct memory {
    const uint8_t *data;
    size_t size;
};

static bool read_word(void *context, uintptr_t address, uintptr_t *word) {
    const struct memory *memory = context;
    uintptr_t offset = address - (uintptr_t)memory->data;
    if (memory->size < sizeof *word || offset > memory->size - sizeof *word)
        return false;
    memcpy(word, memory->data + offset, sizeof *word);
    return true;
}

static void evaluate(const struct cfi_tables *tables, const struct cfi_rule *rule, const uintptr_t *cfa,
                     struct memory *memory) {
    uintptr_t registers[CFI_REGISTERS], result;
    for (size_t i = 0; i < CFI_REGISTERS; i++)
        registers[i] = tables->begin + i * sizeof(uintptr_t);
    if (rule->kind == CFI_AT_EXPRESSION || rule->kind == CFI_IS_EXPRESSION)
        cfi_evaluate(tables, rule->value, registers, cfa, &(struct cfi_memory){read_word, memory}, &result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    int32_t offset;
    if (size < sizeof offset)
        return 0;
    memcpy(&offset, data, sizeof offset);
    struct memory memory = {data + sizeof offset, size - sizeof offset};
    uintptr_t begin = (uintptr_t)memory.data;
    struct cfi_tables tables = {begin, begin + memory.size, begin};
    struct cfi_row row;
    if (!cfi_find(&tables, begin + (uintptr_t)(intptr_t)offset, &row))
        return 0;
    evaluate(&tables, &row.cfa, NULL, &memory);
    for (size_t i = 0; i < CFI_REGISTERS; i++)
        evaluate(&tables, &row.registers[i], &begin, &memory);
    return 0;
}
