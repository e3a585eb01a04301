/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that are missing on a stack because they left by a tail call. */
#include "dump/line/tail_calls.h"

#include "format.h"

#include <elf.h>
#include <string.h>

/* Returns size bytes of code that end at the address; NULL: there are none. */
static const unsigned char *code_before(const struct elf_file *elf, uint64_t address, uint64_t size) {
    for (size_t i = 0; i < elf->count; i++) {
        const struct elf_section *section = &elf->sections[i];
        uint64_t before = address - section->address;
        if (section->bytes && section->flags & SHF_EXECINSTR && before >= size && before <= section->size)
            return section->bytes + before - size;
    }
    return NULL;
}

static bool keeps_context(const struct elf_file *elf, uint64_t function) {
    uint32_t mark = 0;
    const unsigned char *bytes = code_before(elf, function, sizeof mark);
    if (bytes)
        memcpy(&mark, bytes, sizeof mark);
    return mark == ALLOCSITE_CONTEXT_MARK || mark == ALLOCSITE_CONTEXT_MARK_PASSES;
}

/* Returns the target of a call with a 32-bit distance; 0: another instruction. */
static uint64_t target_of(const struct elf_file *elf, uint64_t returns) {
    enum { CALL = 0xe8 };
    int32_t distance;
    const unsigned char *call = code_before(elf, returns, 1 + sizeof distance);
    if (!call || *call != CALL)
        return 0;
    memcpy(&distance, call + 1, sizeof distance);
    return returns + (uint64_t)(int64_t)distance;
}

struct tail_calls tail_calls_at(const struct elf_file *elf, const struct elf_functions *functions,
                                uint64_t returns) {
    uint64_t called = target_of(elf, returns), function = elf_functions_begin(functions, returns - 1);
    return (struct tail_calls){
        .called = called && keeps_context(elf, called) ? called : 0,
        .function = function && keeps_context(elf, function) ? function : 0,
    };
}
