/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads a file, ELF or archive, and prints its sites as text and JSON. */
#include "fuzz.h"

#include "dump/debug/handle.h"
#include "dump/elf/input.h"
#include "dump/table/table.h"

#include <string.h>

static void read_debug_sections(const struct elf_file *elf) {
    struct debug_sections sections;
    struct reason why;
    if (!debug_sections_open(&sections, elf, &why))
        return;
    for (size_t i = 0; i < elf->count; i++)
        debug_section_bytes(&sections, i);
    debug_sections_close(&sections);
}

static void read_module(const struct module_bytes *module, void *context) {
    struct out out = fuzz_out();
    struct elf_file elf;
    struct module_table table;
    struct reason why;
    (void)context;
    if (!elf_open(&elf, module->bytes, module->size, &why))
        return;
    read_debug_sections(&elf);
    if (module_table_read(&table, &elf, &why)) {
        sites_text(&out, &table.table, &(struct listing){.has_frees = true});
        sites_json(&out, module->name, &table.table);
        module_table_free(&table);
    }
    elf_close(&elf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct module_bytes file = {"input", data, size, false};
    struct archive archive;
    struct reason why;
    /* Members of a thin archive would be files on this machine. */
    if (!archive_open(&archive, data, size) || !archive.is_thin)
        input_each_in(&file, read_module, NULL, &why);
    return 0;
}
