/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which functions and lines the addresses of modules are. */
#include "dump/load/symbolize.h"

#include "base/grow.h"
#include "dump/base/complain.h"
#include "dump/base/names.h"
#include "dump/debug/child.h"
#include "dump/elf/module_file.h"
#include "dump/elf/symbols.h"
#include "format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct symbol {
    uint64_t address;
    struct place *places;
    size_t count;
};

struct symbol_module {
    const char *path, *build_id;
    struct symbol *known; /* by rising address */
    size_t known_count;
    uint64_t *wanted; /* in any order */
    size_t wanted_count, wanted_room;
    bool was_complained;
};

/* Modules are told apart by their pooled strings. */
static struct symbol_module *find_module(const struct symbolizer *symbolizer, const char *path,
                                         const char *build_id) {
    for (size_t i = 0; i < symbolizer->count; i++) {
        struct symbol_module *module = &symbolizer->modules[i];
        bool is_same = module->build_id && build_id ? strcmp(module->build_id, build_id) == 0
                                                    : module->build_id == build_id;
        if (is_same && strcmp(module->path, path) == 0)
            return module;
    }
    return NULL;
}

static struct symbol_module *module_for(struct symbolizer *symbolizer, const char *path,
                                        const char *build_id) {
    struct symbol_module *found = find_module(symbolizer, path, build_id);
    if (found)
        return found;
    struct symbol_module module = {.path = path, .build_id = build_id};
    if (!string_pool_keep(&symbolizer->strings, &module.path) ||
        !string_pool_keep(&symbolizer->strings, &module.build_id) ||
        !grow(&symbolizer->modules, symbolizer->count, &symbolizer->room, sizeof *symbolizer->modules))
        return NULL;
    symbolizer->modules[symbolizer->count] = module;
    return &symbolizer->modules[symbolizer->count++];
}

bool symbolizer_want(struct symbolizer *symbolizer, const char *path, const char *build_id,
                     uint64_t address) {
    if (symbolizer->is_off || !path || path[0] != '/' || !address)
        return true;
    struct symbol_module *module = module_for(symbolizer, path, build_id);
    if (!module ||
        !grow(&module->wanted, module->wanted_count, &module->wanted_room, sizeof *module->wanted)) {
        symbolizer->is_broken = true;
        return false;
    }
    module->wanted[module->wanted_count++] = address;
    return true;
}

static int compare_addresses(const void *a, const void *b) {
    const uint64_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

static int compare_symbols(const void *a, const void *b) {
    const struct symbol *left = a, *right = b;
    return (left->address > right->address) - (left->address < right->address);
}

static struct symbol *find_symbol(const struct symbol_module *module, uint64_t address) {
    struct symbol key = {.address = address};
    return module->known_count
               ? bsearch(&key, module->known, module->known_count, sizeof key, compare_symbols)
               : NULL;
}

/* Leaves what is not known yet, each once and sorted. */
static void reduce_wanted(struct symbol_module *module) {
    size_t kept = 0;
    qsort(module->wanted, module->wanted_count, sizeof *module->wanted, compare_addresses);
    for (size_t i = 0; i < module->wanted_count; i++)
        if ((!kept || module->wanted[kept - 1] != module->wanted[i]) &&
            !find_symbol(module, module->wanted[i]))
            module->wanted[kept++] = module->wanted[i];
    module->wanted_count = kept;
}

/* The wanted addresses of a module, while its files are open. */
struct finding {
    struct symbolizer *symbolizer;
    const struct symbol_module *module;
    struct symbol *fresh;   /* of each wanted address */
    uint64_t *instructions; /* the call that returns there ends before */
    size_t done;
};

static bool wants_progress(const struct finding *finding) {
    return !finding->symbolizer->is_quiet && isatty(STDERR_FILENO);
}

static void show_progress(const struct finding *finding) {
    enum { STEP = 4096 };
    if (finding->done % STEP == 0 && finding->done && wants_progress(finding))
        fprintf(stderr, "\r%zu of %zu addresses", finding->done, finding->module->wanted_count);
}

static void clear_progress(const struct finding *finding) {
    if (finding->done && wants_progress(finding))
        fputs("\r\033[K", stderr);
}

static bool keep_places(struct symbolizer *symbolizer, struct symbol *symbol, const struct place *places,
                        size_t count) {
    struct place *kept = malloc(count * sizeof *kept);
    if (!kept)
        return false;
    memcpy(kept, places, count * sizeof *kept);
    for (size_t i = 0; i < count; i++)
        if (!string_pool_keep(&symbolizer->strings, &kept[i].function) ||
            !string_pool_keep(&symbolizer->strings, &kept[i].file)) {
            free(kept);
            return false;
        }
    free(symbol->places);
    symbol->places = kept;
    symbol->count = count;
    return true;
}

static void take_found(void *context, size_t index, const struct place *places, size_t count) {
    struct finding *finding = context;
    finding->done++;
    show_progress(finding);
    if (!keep_places(finding->symbolizer, &finding->fresh[index], places, count))
        finding->symbolizer->is_broken = true;
}

/* NULL: not known. */
static const char *function_of(const struct symbol *symbol) {
    return symbol->count ? symbol->places[symbol->count - 1].function : NULL;
}

/* Debug information may have of a function no more than the last part of its name, without parameters, or
 * nothing. A symbol that is mangled says all. */
static bool wants_symbol(const struct symbol *symbol, const char *name) {
    const char *function = function_of(symbol);
    bool is_part = function && (!strchr(function, '(') || strncmp(function, "operator", 8) == 0);
    return !function || (is_part && strncmp(name, "_Z", 2) == 0);
}

static void add_symbol(struct finding *finding, size_t index, const char *name) {
    struct symbol *symbol = &finding->fresh[index];
    char *demangled = demangle(name);
    struct place place = {.function = demangled ? demangled : name};
    struct symbolizer *symbolizer = finding->symbolizer;
    bool is_worse = !demangled && function_of(symbol);
    if (is_worse) /* it is newer than libiberty */
        return;
    if (!string_pool_keep(&symbolizer->strings, &place.function) ||
        (!symbol->count && !keep_places(symbolizer, symbol, &place, 1)))
        symbolizer->is_broken = true;
    else
        symbol->places[symbol->count - 1].function = place.function;
    free(demangled);
}

/* A wrapper's twin or stand-in is the wrapper to whoever reads. */
static void add_function(struct finding *finding, size_t index, const char *symbol) {
    const char *end = strstr(symbol, ALLOCSITE_SITED);
    char *name = end ? strndup(symbol, end - symbol) : NULL;
    add_symbol(finding, index, name ? name : symbol);
    free(name);
}

static void find_symbols_in(struct finding *finding, const struct module_file *file) {
    struct elf_symbols symbols = {.count = 0};
    bool is_read = file->is_open && elf_symbols_read(&symbols, &file->elf);
    for (size_t i = 0; is_read && i < finding->module->wanted_count; i++) {
        const char *name = elf_symbols_find(&symbols, finding->instructions[i]);
        if (name && wants_symbol(&finding->fresh[i], name))
            add_function(finding, i, name);
    }
    elf_symbols_free(&symbols);
}

/* Of a stripped library: what of its functions has no name for others. */
static void find_functions_in(struct finding *finding, const struct module_file *file) {
    struct elf_functions functions = {.count = 0};
    char name[ELF_FUNCTION_NAME_SIZE];
    bool is_open = file->is_open && elf_functions_open(&functions, &file->elf);
    for (size_t i = 0; is_open && i < finding->module->wanted_count; i++)
        if (!function_of(&finding->fresh[i]) &&
            elf_functions_name(&functions, finding->instructions[i], name))
            add_symbol(finding, i, name);
    elf_functions_close(&functions);
}

static void complain_of(const struct symbolizer *symbolizer, struct symbol_module *module, const char *what) {
    if (!module->was_complained && !symbolizer->is_quiet)
        complain(module->path, "no lines of it: %s", what);
    module->was_complained = true;
}

/* That a module has no debug information is nothing to tell: most libraries have none. */
static void find_all(struct finding *finding, struct symbol_module *module, const char *directory) {
    struct module_files files;
    struct reason why;
    module_files_open(&files, module->path, module->build_id, directory);
    const struct elf_file *debug = module_files_with(&files, ".debug_info");
    if (debug &&
        !symbol_child_lookup(debug, finding->instructions, module->wanted_count, take_found, finding, &why)) {
        clear_progress(finding);
        complain_of(finding->symbolizer, module, why.text);
    } else if (!debug && !files.module.is_open && !files.debug.is_open)
        complain_of(finding->symbolizer, module, files.why.text);
    clear_progress(finding);
    find_symbols_in(finding, &files.debug);
    find_symbols_in(finding, &files.module);
    find_functions_in(finding, &files.module);
    module_files_close(&files);
}

/* The symbol of an address is kept even if nothing is known of it. */
static bool keep_fresh(struct symbol_module *module, struct symbol *fresh) {
    size_t count = module->known_count + module->wanted_count;
    struct symbol *known = realloc(module->known, count * sizeof *known);
    if (!known)
        return false;
    memcpy(known + module->known_count, fresh, module->wanted_count * sizeof *fresh);
    qsort(known, count, sizeof *known, compare_symbols);
    module->known = known;
    module->known_count = count;
    module->wanted_count = 0;
    return true;
}

static bool find_wanted(struct symbolizer *symbolizer, struct symbol_module *module) {
    size_t count = module->wanted_count;
    struct finding finding = {
        .symbolizer = symbolizer,
        .module = module,
        .fresh = calloc(count, sizeof *finding.fresh),
        .instructions = calloc(count, sizeof *finding.instructions),
    };
    bool is_done = finding.fresh && finding.instructions;
    for (size_t i = 0; is_done && i < count; i++) {
        finding.fresh[i].address = module->wanted[i];
        finding.instructions[i] = module->wanted[i] - 1;
    }
    if (is_done)
        find_all(&finding, module, symbolizer->debug_directory);
    is_done = is_done && keep_fresh(module, finding.fresh);
    free(finding.fresh);
    free(finding.instructions);
    return is_done;
}

void symbolizer_run(struct symbolizer *symbolizer) {
    for (size_t i = 0; i < symbolizer->count; i++) {
        struct symbol_module *module = &symbolizer->modules[i];
        if (module->wanted_count)
            reduce_wanted(module);
        if (module->wanted_count && !find_wanted(symbolizer, module))
            symbolizer->is_broken = true;
    }
}

const struct place *symbolizer_find(const struct symbolizer *symbolizer, const char *path,
                                    const char *build_id, uint64_t address, size_t *count) {
    const struct symbol_module *module = path ? find_module(symbolizer, path, build_id) : NULL;
    const struct symbol *symbol = module ? find_symbol(module, address) : NULL;
    *count = symbol ? symbol->count : 0;
    return symbol ? symbol->places : NULL;
}

static void free_module(struct symbol_module *module) {
    for (size_t i = 0; i < module->known_count; i++)
        free(module->known[i].places);
    free(module->known);
    free(module->wanted);
}

void symbolizer_free(struct symbolizer *symbolizer) {
    for (size_t i = 0; i < symbolizer->count; i++)
        free_module(&symbolizer->modules[i]);
    free(symbolizer->modules);
    string_pool_free(&symbolizer->strings);
}

/* ---- Names for the addresses of a report. */

static bool want_all(struct symbolizer *symbolizer, const struct report *report) {
    for (size_t i = 0; i < report->site_count; i++) {
        const struct site_view *view = &report->sites[i]->view;
        if (!symbolizer_want(symbolizer, view->module, view->build_id, view->address))
            return false;
    }
    for (size_t i = 0; i < report->stack_count; i++)
        for (size_t j = 0; j < report->stacks[i].frame_count; j++) {
            const struct report_frame *frame = &report->stacks[i].frames[j];
            if (frame->module &&
                !symbolizer_want(symbolizer, frame->module->path, frame->module->build_id, frame->address))
                return false;
        }
    return true;
}

/* The runtime has symbols as they are in the file. */
static void demangle_name(struct symbolizer *symbolizer, const char **name) {
    char *demangled = demangle(*name);
    if (demangled) {
        *name = demangled;
        symbolizer->is_broken |= !string_pool_keep(&symbolizer->strings, name);
    }
    free(demangled);
}

static void name_row(struct symbolizer *symbolizer, struct site_view *view) {
    size_t count;
    const struct place *places =
        symbolizer_find(symbolizer, view->module, view->build_id, view->address, &count);
    if (!count || !places[0].function) {
        demangle_name(symbolizer, &view->at.function);
        return;
    }
    view->at = places[0];
    view->inlined = places + 1;
    view->inlined_count = count - 1;
}

static void name_frame(struct symbolizer *symbolizer, struct report_frame *frame) {
    size_t count = 0;
    const struct place *places = frame->module
                                     ? symbolizer_find(symbolizer, frame->module->path,
                                                       frame->module->build_id, frame->address, &count)
                                     : NULL;
    if (count && places[count - 1].function)
        frame->function = places[count - 1].function;
    else
        demangle_name(symbolizer, &frame->function);
}

bool symbolize_report(struct symbolizer *symbolizer, struct report *report) {
    if (symbolizer->is_off || !want_all(symbolizer, report))
        return symbolizer->is_off;
    symbolizer_run(symbolizer);
    for (size_t i = 0; i < report->site_count; i++)
        if (report->sites[i]->view.address)
            name_row(symbolizer, &report->sites[i]->view);
    for (size_t i = 0; i < report->stack_count; i++)
        for (size_t j = 0; j < report->stacks[i].frame_count; j++)
            name_frame(symbolizer, &report->stacks[i].frames[j]);
    return !symbolizer->is_broken;
}
