/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names roots after the variables of modules. */
#include "dump/capture/search.h"

#include "dump/base/memory.h"
#include "dump/base/names.h"
#include "dump/base/terminal.h"
#include "dump/elf/elf_file.h"
#include "dump/elf/module_files.h"

#include <elf.h>
#include <stdlib.h>

struct variable {
    uint64_t address, size;
    const char *name;
};

struct variables {
    struct variable *list;
    size_t count, capacity;
};

static void add_variable(struct variables *variables, const struct elf_section *strings,
                         const Elf64_Sym *symbol) {
    const char *name = elf_string(strings, symbol->st_name);
    if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || symbol->st_shndx == SHN_UNDEF || !*name)
        return;
    memory_grow(&variables->list, variables->count, &variables->capacity, sizeof *variables->list);
    variables->list[variables->count++] = (struct variable){symbol->st_value, symbol->st_size, name};
}

static void read_table(struct variables *variables, const struct elf_file *elf, const char *table_name) {
    const struct elf_section *table = elf_section_named(elf, table_name);
    Elf64_Sym symbol;
    if (!table || table->link >= elf->count)
        return;
    for (uint64_t i = 0; elf_entry(table, i, &symbol, sizeof symbol); i++)
        add_variable(variables, &elf->sections[table->link], &symbol);
}

static const struct variable *find_variable(const struct variables *variables, uint64_t address) {
    const struct variable *found = NULL;
    for (size_t i = 0; i < variables->count; i++) {
        const struct variable *variable = &variables->list[i];
        if (address - variable->address < variable->size && (!found || variable->size < found->size))
            found = variable;
    }
    return found;
}

static void name_root(struct graph_root *root, const struct variables *variables, uint64_t base,
                      struct string_pool *texts) {
    const struct variable *variable = find_variable(variables, root->offset - base);
    if (!variable)
        return;
    char *symbol = name_unversioned(variable->name), *plain = name_demangle(symbol);
    root->label = (uint32_t)string_number(texts, plain ?: symbol);
    root->offset -= base + variable->address;
    free(plain);
    free(symbol);
}

static void name_roots(struct graph *graph, const struct capture_data *data,
                       const struct variables *variables, struct string_pool *texts) {
    for (size_t i = 0; i < graph->root_count; i++) {
        struct graph_root *root = &graph->roots[i];
        if (root->kind == GRAPH_DATA && root->label == GRAPH_NONE && data->begin <= root->offset &&
            root->offset < data->end)
            name_root(root, variables, data->base, texts);
    }
}

void capture_variables(struct graph *graph, const struct capture_maps *maps, struct string_pool *texts) {
    for (size_t i = 0; i < maps->data_count; i++) {
        struct variables variables = {.count = 0};
        static const struct module_search local = {.stays_local = true};
        struct module_files files;
        struct reason why;
        module_files_open(&files, maps->data[i].path, NULL, &local);
        const struct elf_file *elf = module_files_with(&files, ".symtab");
        if (elf)
            read_table(&variables, elf, ".symtab");
        else if ((elf = module_files_with(&files, ".dynsym")))
            read_table(&variables, elf, ".dynsym");
        name_roots(graph, &maps->data[i], &variables, texts);
        free(variables.list);
        if (!module_files_close(&files, &why))
            complain_file(maps->data[i].path, "%s", why.text);
    }
}
