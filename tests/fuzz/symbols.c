/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the symbols of an ELF file, functions without symbols, and line tables. The rest of libdwarf is left
 * out: version 20210528 frees damaged range lists twice, which is why the reader runs it in a separate
 * process. tests/dump/symbols.py damages files for that process. */
#include "fuzz.h"

#include "dump/debug/handle.h"
#include "dump/elf/elf_file.h"

#include <stdlib.h>
#include <string.h>

enum { ADDRESSES = 64 };

static void use_row(void *context, const struct line_row *row) {
    *(uint64_t *)context += row->line;
}

static void read_lines(const struct elf_file *elf) {
    uint64_t sum = 0;
    for (size_t i = 0; i < elf->count; i++)
        if (elf->sections[i].bytes && strcmp(elf->sections[i].name, ".debug_line") == 0)
            for (uint64_t offset = 0; offset < 256; offset += 17)
                line_program_run(elf->sections[i].bytes, elf->sections[i].size, offset, use_row, &sum);
}

/* Chooses addresses spread over the code. */
static size_t take_addresses(const struct elf_file *elf, uint64_t addresses[ADDRESSES]) {
    for (size_t i = 0; i < elf->count; i++) {
        const struct elf_section *section = &elf->sections[i];
        if (strcmp(section->name, ".text") != 0 || section->size < ADDRESSES || section->size > 1 << 20)
            continue;
        for (uint64_t j = 0; j < ADDRESSES; j++)
            addresses[j] = (section->address & INT32_MAX) + section->size * j / ADDRESSES;
        return ADDRESSES;
    }
    return 0;
}

static void find_symbols(const struct elf_file *elf, const uint64_t *addresses, size_t count) {
    struct elf_symbols symbols = {.count = 0};
    elf_symbols_read(&symbols, elf);
    for (size_t i = 0; i < count; i++) {
        const char *name = elf_symbols_find(&symbols, addresses[i]);
        if (name && !*name)
            abort();
    }
    elf_symbols_free(&symbols);
}

static void find_functions(const struct elf_file *elf, const uint64_t *addresses, size_t count) {
    struct elf_functions functions;
    char name[ELF_FUNCTION_NAME_SIZE];
    elf_functions_open(&functions, elf);
    for (size_t i = 0; i < count; i++)
        if (elf_functions_name(&functions, addresses[i], name) && name[0] != '[')
            abort();
    elf_functions_close(&functions);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint64_t addresses[ADDRESSES];
    struct elf_file elf;
    struct reason why;
    if (!elf_open(&elf, data, size, &why))
        return 0;
    size_t count = take_addresses(&elf, addresses);
    read_lines(&elf);
    find_symbols(&elf, addresses, count);
    find_functions(&elf, addresses, count);
    elf_close(&elf);
    return 0;
}
