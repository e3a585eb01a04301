/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the functions and lines of addresses in modules. */
#include "dump/line/symbolize.h"

#include "base/arrays.h"
#include "base/path.h"
#include "dump/base/memory.h"
#include "dump/base/names.h"
#include "dump/base/terminal.h"
#include "dump/debug/child.h"
#include "dump/elf/elf_file.h"
#include "dump/line/pass_through.h"
#include "dump/line/tail_calls.h"
#include "format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct symbol {
    uint64_t address;
    struct place *places;
    size_t count;
    uint32_t *starts; /* first lines of the places' functions, until note_starts runs; NULL: unknown */
    struct tail_calls code;
};

/* Symbol tables of a module. The table of the file with debug information comes first. */
struct symbol_tables {
    struct elf_symbols of[3];
    size_t count;
};

/* Size of a cache of recently wanted addresses. Most stacks share most of their frames, so it avoids
 * duplicates. A power of two. */
enum { LATELY = 512 };

struct symbol_module {
    const char *path, *build_id;
    uint64_t lately[LATELY];
    struct symbol *symbols; /* known symbols by rising address, then wanted ones in any order */
    size_t known, count, capacity;
    struct number_map starts; /* first line of a function, by its name and file */
    bool was_complained;
    bool is_nameless; /* the file was found, but has only names of exported functions */
};

struct module_name {
    const char *path, *build_id;
};

static uint64_t hash_module(const struct module_name *name) {
    return hash_text(hash_text(0, name->path), name->build_id);
}

static bool is_module(const void *key, const void *context, size_t element) {
    const struct module_name *name = key;
    const struct symbol_module *module = &((const struct symbolizer *)context)->modules[element];
    return strcmp(module->path, name->path) == 0 && is_same_text(module->build_id, name->build_id);
}

static struct symbol_module *find_module(const struct symbolizer *symbolizer, const char *path,
                                         const char *build_id) {
    const struct module_name name = {path, build_id};
    if (symbolizer->last && is_module(&name, symbolizer, *symbolizer->last))
        return &symbolizer->modules[*symbolizer->last];
    size_t found = hash_find(&symbolizer->by_path, hash_module(&name), is_module, &name, symbolizer);
    if (found == HASH_NONE)
        return NULL;
    *symbolizer->last = found;
    return &symbolizer->modules[found];
}

static struct symbol_module *module_for(struct symbolizer *symbolizer, const char *path,
                                        const char *build_id) {
    struct symbol_module *found = find_module(symbolizer, path, build_id);
    if (found)
        return found;
    hash_put(&symbolizer->by_path, hash_module(&(struct module_name){path, build_id}), symbolizer->count);
    memory_grow(&symbolizer->modules, symbolizer->count, &symbolizer->capacity, sizeof *symbolizer->modules);
    if (!symbolizer->last)
        symbolizer->last = memory_zeros(1, sizeof *symbolizer->last);
    struct symbol_module *module = &symbolizer->modules[symbolizer->count++];
    *module = (struct symbol_module){.path = string_keep(&symbolizer->strings, path),
                                     .build_id = string_keep(&symbolizer->strings, build_id)};
    return module;
}

void symbolizer_want(struct symbolizer *symbolizer, const char *path, const char *build_id,
                     uint64_t address) {
    if (symbolizer->is_off || !path || path[0] != '/' || !address)
        return;
    struct symbol_module *module = module_for(symbolizer, path, build_id);
    uint64_t *lately = &module->lately[hash_number(0, address) % LATELY];
    if (*lately == address)
        return;
    *lately = address;
    memory_grow(&module->symbols, module->count, &module->capacity, sizeof *module->symbols);
    module->symbols[module->count++] = (struct symbol){.address = address};
}

static struct symbol *find_symbol(const struct symbol_module *module, uint64_t address) {
    struct symbol key = {.address = address};
    return module->known ? bsearch(&key, module->symbols, module->known, sizeof key, compare_first_u64)
                         : NULL;
}

/* Removes known addresses and duplicates from the addresses to look up, and sorts the others. */
static void reduce_wanted(struct symbol_module *module) {
    struct symbol *symbols = module->symbols;
    size_t kept = module->known;
    qsort(symbols + kept, module->count - kept, sizeof *symbols, compare_first_u64);
    for (size_t i = module->known; i < module->count; i++)
        if ((kept == module->known || symbols[kept - 1].address != symbols[i].address) &&
            !find_symbol(module, symbols[i].address))
            symbols[kept++] = symbols[i];
    module->count = kept;
}

/* The wanted addresses of a module while its files are open. */
struct finding {
    struct symbolizer *symbolizer;
    struct symbol *fresh;   /* one for each wanted address */
    uint64_t *instructions; /* an address within the call before each return address */
    size_t count, done;
    struct symbol_tables tables;
    uint64_t *asked;  /* the instructions to look up in debug information */
    size_t *asked_as; /* their index in fresh */
    size_t asked_count;
};

static void keep_places(struct symbolizer *symbolizer, struct symbol *symbol, const struct place *places,
                        size_t count) {
    free(symbol->places);
    symbol->places = memory_copy(places, count * sizeof *places);
    symbol->count = count;
    for (size_t i = 0; i < count; i++) {
        symbol->places[i].function = string_keep(&symbolizer->strings, places[i].function);
        symbol->places[i].file = string_keep(&symbolizer->strings, places[i].file);
    }
}

static void take_found(void *context, size_t index, const struct debug_place *found, size_t count) {
    struct finding *finding = context;
    struct symbol *symbol = &finding->fresh[finding->asked_as[index]];
    struct place *places = memory_zeros(count, sizeof *places);
    progress_show("addresses looked up", ++finding->done, finding->asked_count);
    free(symbol->starts);
    symbol->starts = memory_zeros(count, sizeof *symbol->starts);
    for (size_t i = 0; i < count; i++) {
        places[i] = found[i].at;
        symbol->starts[i] = found[i].start;
    }
    keep_places(finding->symbolizer, symbol, places, count);
    free(places);
}

/* NULL: unknown. */
static const char *function_of(const struct symbol *symbol) {
    return symbol->count ? symbol->places[symbol->count - 1].function : NULL;
}

/* Debug information may lack a function's name, or have only its last part without parameters. A mangled
 * symbol has the whole name. */
static bool wants_symbol(const struct symbol *symbol, const char *name) {
    const char *function = function_of(symbol);
    bool is_part = function && (!strchr(function, '(') || strncmp(function, "operator", 8) == 0);
    return !function || (is_part && is_mangled(name));
}

static void add_symbol(struct finding *finding, size_t index, const char *versioned) {
    struct symbol *symbol = &finding->fresh[index];
    char *name = name_unversioned(versioned), *demangled = name_demangle(name);
    struct place place = {.function = demangled ?: name};
    struct symbolizer *symbolizer = finding->symbolizer;
    bool is_worse = !demangled && function_of(symbol); /* its mangling is newer than libiberty */
    if (!is_worse && symbol->count)
        symbol->places[symbol->count - 1].function = string_keep(&symbolizer->strings, place.function);
    else if (!is_worse)
        keep_places(symbolizer, symbol, &place, 1);
    free(demangled);
    free(name);
}

static void read_table(struct symbol_tables *tables, bool is_open, const struct elf_file *elf) {
    if (is_open)
        elf_symbols_read(&tables->of[tables->count++], elf);
}

static void read_tables(struct symbol_tables *tables, const struct module_files *files) {
    read_table(tables, files->debug.is_open, &files->debug.elf);
    read_table(tables, files->has_mini, &files->mini);
    read_table(tables, files->module.is_open, &files->module.elf);
}

static void free_tables(struct symbol_tables *tables) {
    for (size_t i = 0; i < tables->count; i++)
        elf_symbols_free(&tables->of[i]);
}

static void take_symbols(struct finding *finding, size_t index) {
    for (size_t i = 0; i < finding->tables.count; i++) {
        const char *name = elf_symbols_find(&finding->tables.of[i], finding->instructions[index]);
        if (name && wants_symbol(&finding->fresh[index], name))
            add_symbol(finding, index, name);
    }
}

/* Most programs have a stdio buffer, which reports show separately, without a line. Reading the C library's
 * debug information for it would dominate the run time of a short program's report. */
static bool is_asked(const struct finding *finding, size_t index) {
    for (size_t i = 0; i < finding->tables.count; i++) {
        const char *name = elf_symbols_find(&finding->tables.of[i], finding->instructions[index]);
        if (name)
            return !report_is_stream_function(name);
    }
    return true;
}

static void choose_asked(struct finding *finding) {
    finding->asked = memory_zeros(finding->count, sizeof *finding->asked);
    finding->asked_as = memory_zeros(finding->count, sizeof *finding->asked_as);
    for (size_t i = 0; i < finding->count; i++)
        if (is_asked(finding, i)) {
            finding->asked[finding->asked_count] = finding->instructions[i];
            finding->asked_as[finding->asked_count++] = i;
        }
}

/* Sets the name of the function that the call before an address calls. */
static void name_called(struct finding *finding, struct tail_calls *code) {
    const char *versioned = NULL;
    for (size_t i = 0; i < finding->tables.count && code->called && !versioned; i++)
        versioned = elf_symbols_find(&finding->tables.of[i], code->called);
    if (!versioned)
        return;
    char *name = name_unversioned(versioned), *demangled = name_demangle(name);
    code->name = string_keep(&finding->symbolizer->strings, demangled ?: name);
    free(demangled);
    free(name);
}

/* Reads the code around the addresses, and names the functions of a stripped library that are not exported,
 * by their start addresses. */
static void find_functions_in(struct finding *finding, const struct module_file *file) {
    struct elf_functions functions = {.shift = 0};
    char name[ELF_FUNCTION_NAME_SIZE];
    if (file->is_open)
        elf_functions_open(&functions, &file->elf);
    for (size_t i = 0; i < finding->count && file->is_open; i++) {
        struct symbol *symbol = &finding->fresh[i];
        if (!function_of(symbol) && elf_functions_name(&functions, finding->instructions[i], name))
            add_symbol(finding, i, name);
        symbol->code = tail_calls_at(&file->elf, &functions, symbol->address);
        name_called(finding, &symbol->code);
    }
    elf_functions_close(&functions);
}

static void complain_of(const struct symbolizer *symbolizer, struct symbol_module *module, const char *what) {
    if (!module->was_complained && !symbolizer->is_quiet)
        complain_file(module->path, "no lines of it: %s", what);
    module->was_complained = true;
}

static unsigned milliseconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (unsigned)(now.tv_sec * 1000 + now.tv_nsec / 1000000);
}

/* Subtracts the elapsed time from the limit for all modules. */
static void look_up_limited(struct finding *finding, struct symbol_module *module,
                            struct debug_files *files) {
    struct symbolizer *symbolizer = finding->symbolizer;
    struct reason why;
    unsigned begun = milliseconds_now();
    files->milliseconds = symbolizer->milliseconds;
    bool is_whole =
        symbol_child_lookup(files, finding->asked, finding->asked_count, take_found, finding, &why);
    unsigned taken = milliseconds_now() - begun;
    if (symbolizer->milliseconds && taken >= symbolizer->milliseconds)
        symbolizer->is_late = true;
    else if (symbolizer->milliseconds)
        symbolizer->milliseconds -= taken;
    if (!is_whole)
        complain_of(symbolizer, module, why.text);
}

/* Missing debug information is not reported, because most libraries have none. Functions of the C library are
 * named by symbols alone: its lines are never the user's, and to read its debug information or fetch it from
 * a server takes longer than the rest of a small program's report. */
static void find_all(struct finding *finding, struct symbol_module *module,
                     const struct module_search *search) {
    struct module_files files;
    struct module_search local = *search;
    struct reason why;
    bool has_lines = !path_is_c_library(module->path);
    local.stays_local |= !has_lines;
    module_files_open(&files, module->path, module->build_id, &local);
    read_tables(&finding->tables, &files);
    if (has_lines)
        choose_asked(finding);
    const struct elf_file *debug = module_files_with(&files, ".debug_info");
    if (debug && finding->asked_count && !finding->symbolizer->is_late)
        look_up_limited(finding, module, &(struct debug_files){debug, files.path, search->sysroot, 0});
    else if (!debug && !files.module.is_open && !files.debug.is_open)
        complain_of(finding->symbolizer, module, files.why.text);
    for (size_t i = 0; i < finding->count; i++)
        take_symbols(finding, i);
    find_functions_in(finding, &files.module);
    module->is_nameless = files.module.is_open && !module_files_have_symbols(&files);
    free_tables(&finding->tables);
    if (module_files_close(&files, &why))
        return;
    complain_of(finding->symbolizer, module, why.text);
    for (size_t i = 0; i < finding->count; i++)
        finding->fresh[i].count = 0;
}

static uint64_t hash_function(const struct place *place) {
    return hash_text(hash_text(0, place->function), place->file ? path_base(place->file) : NULL);
}

/* If two functions have the same name in files of the same name, neither start is used, because their calls
 * cannot be distinguished. */
static void note_starts(struct symbol_module *module, struct symbol *symbol) {
    for (size_t i = 0; symbol->starts && i < symbol->count; i++) {
        uint64_t key = hash_function(&symbol->places[i]);
        if (!symbol->places[i].function || number_map_add(&module->starts, key, symbol->starts[i]))
            continue;
        uint64_t *known = number_map_find(&module->starts, key);
        *known = *known == symbol->starts[i] ? *known : 0;
    }
    free(symbol->starts);
    symbol->starts = NULL;
}

uint32_t symbolizer_start(const struct symbolizer *symbolizer, const struct site_view *view,
                          const struct place *place) {
    const struct symbol_module *module =
        view->module ? find_module(symbolizer, view->module, view->build_id) : NULL;
    const uint64_t *start = module ? number_map_find(&module->starts, hash_function(place)) : NULL;
    return start && *start <= place->line ? (uint32_t)*start : 0;
}

/* The symbol of an address is kept even if nothing was found, so that it is not looked up again. */
static void find_wanted(struct symbolizer *symbolizer, struct symbol_module *module) {
    size_t count = module->count - module->known;
    struct finding finding = {
        .symbolizer = symbolizer,
        .count = count,
        .fresh = module->symbols + module->known,
        .instructions = memory_zeros(count, sizeof *finding.instructions),
    };
    for (size_t i = 0; i < count; i++)
        finding.instructions[i] = finding.fresh[i].address - 1;
    find_all(&finding, module, &symbolizer->search);
    for (size_t i = 0; i < count; i++)
        note_starts(module, &finding.fresh[i]);
    free(finding.instructions);
    free(finding.asked);
    free(finding.asked_as);
    qsort(module->symbols, module->count, sizeof *module->symbols, compare_first_u64);
    module->known = module->count;
}

void symbolizer_look_up(struct symbolizer *symbolizer) {
    for (size_t i = 0; i < symbolizer->count; i++) {
        struct symbol_module *module = &symbolizer->modules[i];
        if (module->count > module->known)
            reduce_wanted(module);
        if (module->count > module->known)
            find_wanted(symbolizer, module);
    }
}

const struct place *symbolizer_find(const struct symbolizer *symbolizer, const char *path,
                                    const char *build_id, uint64_t address, size_t *count) {
    const struct symbol_module *module = path ? find_module(symbolizer, path, build_id) : NULL;
    const struct symbol *symbol = module ? find_symbol(module, address) : NULL;
    *count = symbol ? symbol->count : 0;
    return symbol ? symbol->places : NULL;
}

const struct tail_calls *symbolizer_code(const struct symbolizer *symbolizer, const struct report_module *in,
                                         uint64_t address) {
    const struct symbol_module *module = find_module(symbolizer, in->path, in->build_id);
    const struct symbol *symbol = module ? find_symbol(module, address) : NULL;
    return symbol ? &symbol->code : NULL;
}

bool symbolizer_lacks_names(const struct symbolizer *symbolizer, const char *path, const char *build_id) {
    const struct symbol_module *module = path ? find_module(symbolizer, path, build_id) : NULL;
    return module && module->is_nameless;
}

static void free_module(struct symbol_module *module) {
    for (size_t i = 0; i < module->count; i++)
        free(module->symbols[i].places);
    free(module->symbols);
    number_map_free(&module->starts);
}

void symbolizer_free(struct symbolizer *symbolizer) {
    for (size_t i = 0; i < symbolizer->count; i++)
        free_module(&symbolizer->modules[i]);
    free(symbolizer->modules);
    for (size_t i = 0; i < symbolizer->completed_count; i++)
        free(symbolizer->completed[i]);
    free(symbolizer->completed);
    free(symbolizer->last);
    if (symbolizer->passing)
        pass_through_free(symbolizer->passing);
    free(symbolizer->passing);
    hash_free(&symbolizer->by_path);
    string_pool_free(&symbolizer->strings);
}
