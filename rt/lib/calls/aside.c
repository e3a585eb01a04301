/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A process that counts nothing (enabled=0) need not pass through here: what would go to the runtime is led
 * to where it would go without allocsite.
 *
 * - References that are bound already are written anew. A sited call goes straight to the function that the
 *   source names, for which the site is one argument too many, where it does not look.
 * - An entry's symbol gets the address of that function, so that everything bound from now on is bound to it:
 *   libraries that come later, lazy calls, dlsym.
 * - Symbols of interposed functions lose their address: the dynamic loader goes on to the next definition, of
 *   the version that is wanted.
 *
 * What is not led away works as before, by the runtime's functions, which pass it on.
 *
 * Where frees are not counted (owners=0) these are led away in the same way, and what allocates to shorter
 * functions of ours. */
#define _GNU_SOURCE
#include "lib/calls/aside.h"

#include "format.h"
#include "lib/calls/lean.h"
#include "lib/elf/image.h"
#include "lib/heap/next.h"
#include "lib/heap/operators.h"

#include <string.h>

static bool counts_gains; /* owners=0 */

/* Not the entries that take their site first. */
#define WRAPPED(symbol) #symbol,
static const char *const functions[] = {
#include "lib/heap/wrapped.def"
    "dlclose",     "thrd_create",      "strdup",
    "__strdup",    "strndup",          "__strndup",
    "wcsdup",      "vasprintf",        "__vasprintf_chk",
    "getline",     "getdelim",         "__getdelim",
    "realpath",    "__realpath_chk",   "canonicalize_file_name",
    "getcwd",      "__getcwd_chk",     "get_current_dir_name",
    "scandir",     "scandir64",        "scandirat",
    "scandirat64", "open_memstream",   "open_wmemstream",
    "tempnam",     "backtrace_symbols"};
#undef WRAPPED

static bool frees(const char *name) {
    for (size_t i = 0; i < DELETE_OPERATORS; i++)
        if (strcmp(operators_delete[i].symbol, name) == 0)
            return true;
    return strcmp(name, "free") == 0;
}

static bool is_led_away(const char *name) {
    bool is_led = frees(name);
    for (size_t i = 0; !is_led && !counts_gains && i < sizeof functions / sizeof *functions; i++)
        is_led = strcmp(functions[i], name) == 0;
    return is_led;
}

static int find_definition(struct dl_phdr_info *object, size_t size, void *name) {
    struct image image;
    (void)size;
    return image_read(&image, object) && !elf_is_own(image.symbols) && image_symbol(&image, name);
}

static bool is_entry(const char *symbol) {
    return strncmp(symbol, ALLOCSITE_ENTRY_PREFIX, strlen(ALLOCSITE_ENTRY_PREFIX)) == 0;
}

/* A look-up that fails would allocate. The C library has all but the operators of C++. */
static bool is_elsewhere(const char *name) {
    return strncmp(name, "_Z", 2) != 0 || dl_iterate_phdr(find_definition, (void *)(uintptr_t)name);
}

/* Where references to one of our symbols are to go; 0: that is not known, or nowhere else. */
static uintptr_t target_of(const char *symbol) {
    uintptr_t lean = counts_gains ? lean_function(symbol) : 0;
    if (lean)
        return lean;
    const char *name = is_entry(symbol) ? symbol + strlen(ALLOCSITE_ENTRY_PREFIX) : symbol;
    return is_led_away(name) && is_elsewhere(name) ? (uintptr_t)next_symbol(name) : 0;
}

static void lead_references(const struct image *image) {
    const char *name;
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < image->relocations[i].count; k++) {
            const ElfW(Rela) *relocation = &image->relocations[i].at[k];
            uintptr_t *place = image_reference(image, relocation, &name);
            bool is_ours = place && relocation->r_addend == 0 && elf_is_own((const void *)*place);
            uintptr_t target = is_ours ? target_of(name) : 0;
            if (target)
                image_write(image, place, target);
        }
}

/* A sum that wraps: the loader adds the base again. */
static void lead_symbols(const struct image *own) {
    uint32_t first, end;
    image_defined_symbols(own, &first, &end);
    ElfW(Sym) *symbols = (ElfW(Sym) *)(uintptr_t)own->symbols;
    if (!image_open(own, symbols + first, symbols + end))
        return;
    for (uint32_t i = first; i < end; i++) {
        const char *name = own->strings + symbols[i].st_name;
        uintptr_t target = target_of(name);
        if (target)
            symbols[i].st_value = is_entry(name) || elf_is_own((const void *)target) ? target - own->base : 0;
    }
    image_close(own, symbols + first, symbols + end);
}

static int lead(struct dl_phdr_info *object, size_t size, void *own) {
    struct image image;
    (void)size;
    if (!image_read(&image, object))
        return 0;
    lead_references(&image);
    if (elf_is_own(image.symbols))
        *(struct image *)own = image;
    return 0;
}

void step_aside_of_frees(void) {
    counts_gains = true;
    step_aside();
}

void step_aside(void) {
    struct image own = {0};
    dl_iterate_phdr(lead, &own);
    lead_symbols(&own);
}
