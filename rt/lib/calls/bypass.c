/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bypasses the runtime for calls that it does not count. With enabled=0, calls go where they would go without
 * allocsite:
 *
 * - References that are already bound are rewritten. A sited call then goes directly to the function that the
 *   source names, which ignores the site as an additional argument.
 * - Symbols of entries get the address of this function, so that everything bound later is bound to it:
 *   libraries that are loaded later, lazy calls, dlsym.
 * - Symbols of interposed functions lose their address. The dynamic loader then continues to the next
 *   definition with the requested version.
 *
 * Calls that are not redirected work as before: the runtime's functions pass them on.
 *
 * With owners=0, functions that free are bypassed in the same way, and functions that allocate are redirected
 * to shorter ones (alloc_only.c). With sizes=1, functions that allocate are redirected to functions that
 * count sizes too (sized.c). */
#define _GNU_SOURCE
#include "lib/calls/interpose.h"

#include "format.h"
#include "lib/elf/image.h"
#include "lib/heap/underlying.h"

#include <string.h>

static redirect_function *redirect; /* NULL: nothing is counted */
static bool keeps_frees;

/* Consecutive strings, because pointers would need relocations. */
#define NAME(symbol, ...) #symbol "\0"

#define HEAP_FREE         NAME
#define OPERATOR_DELETE   NAME
static const char freeing[] =
#include "allocators.def"
    ;

#define HEAP_ALLOC    NAME
#define HEAP_REALLOC  NAME
#define HEAP_LIBC     NAME
#define OPERATOR_NEW  NAME
#define COPY          NAME
#define BESIDE        NAME
#define BESIDE_LOADER NAME
static const char others[] =
#include "allocators.def"
    ;

/* The link fails if a function of the list lacks its entry or its definition before the C library's. The
 * references are in a section that is never loaded. */
#define MUST_HAVE(symbol)          ".quad " symbol "\n"
#define ENTERED(symbol, ...)       MUST_HAVE(ALLOCSITE_ENTRY_PREFIX #symbol)
#define STANDS_BEFORE(symbol, ...) MUST_HAVE(INTERPOSED_MARK #symbol)
#define BOTH(symbol, ...)          ENTERED(symbol) STANDS_BEFORE(symbol)
#define HEAP_ALLOC                 BOTH
#define HEAP_REALLOC               BOTH
#define HEAP_FREE                  BOTH
#define HEAP_LIBC                  STANDS_BEFORE
#define OPERATOR_NEW               BOTH
#define OPERATOR_DELETE            BOTH
#define COPY                       ENTERED
#define CUSTOM                     ENTERED
#define BESIDE                     STANDS_BEFORE
#define BESIDE_LOADER              STANDS_BEFORE
__asm__(".pushsection .allocsite.defined,\"\",%progbits\n"
#include "allocators.def"
        ".popsection\n");

static bool is_among(const char *names, const char *name) {
    while (*names && strcmp(names, name) != 0)
        names += strlen(names) + 1;
    return *names;
}

static bool is_bypassed(const char *name) {
    return !keeps_frees && (is_among(freeing, name) || (!redirect && is_among(others, name)));
}

static int find_definition(struct dl_phdr_info *object, size_t size, void *name) {
    struct image image;
    (void)size;
    return image_read(&image, object) && !elf_is_of_runtime(image.symbols) && image_symbol(&image, name);
}

#define ENTRY_MOST 64 /* size of a buffer for the name of an entry */

static bool is_entry(const char *symbol) {
    return strncmp(symbol, ALLOCSITE_ENTRY_PREFIX, strlen(ALLOCSITE_ENTRY_PREFIX)) == 0;
}

/* Returns whether another module defines the function. A failing dlsym would allocate, so the modules are
 * searched. Every C library has all functions except the C++ operators and the functions that are new in
 * C23. */
static bool is_elsewhere(const char *name) {
    bool is_in_all = strncmp(name, "_Z", 2) != 0 && strncmp(name, "free_", 5) != 0;
    return is_in_all || dl_iterate_phdr(find_definition, (void *)(uintptr_t)name);
}

/* Removes the suffix of an entry that gets a context. Both entries get the same target, because a function
 * ignores an additional argument. */
static const char *plain_entry(const char *symbol, char name[ENTRY_MOST]) {
    const char *suffix = is_entry(symbol) ? strstr(symbol, ALLOCSITE_BY_CONTEXT_SUFFIX) : NULL;
    size_t length = suffix ? (size_t)(suffix - symbol) : ENTRY_MOST;
    if (length >= ENTRY_MOST)
        return symbol;
    memcpy(name, symbol, length);
    name[length] = '\0';
    return name;
}

/* Returns the address that references to a symbol of the runtime are redirected to. 0: none, or unknown. */
static uintptr_t target_of(const char *symbol) {
    char entry[ENTRY_MOST];
    symbol = plain_entry(symbol, entry);
    uintptr_t ours = redirect ? redirect(symbol) : 0;
    if (ours)
        return ours;
    const char *name = is_entry(symbol) ? symbol + strlen(ALLOCSITE_ENTRY_PREFIX) : symbol;
    return is_bypassed(name) && is_elsewhere(name) ? (uintptr_t)underlying_symbol(name) : 0;
}

static void redirect_references(const struct image *image) {
    const char *name;
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < image->relocations[i].count; k++) {
            const ElfW(Rela) *relocation = &image->relocations[i].at[k];
            uintptr_t *place = image_reference(image, relocation, &name);
            bool is_ours = place && relocation->r_addend == 0 && elf_is_of_runtime((const void *)*place);
            uintptr_t target = is_ours ? target_of(name) : 0;
            if (target)
                image_write(image, place, target);
        }
}

/* The difference to the base may wrap: the loader adds the base again. */
static void redirect_symbols(const struct image *runtime_image) {
    uint32_t first, end;
    image_defined_symbols(runtime_image, &first, &end);
    ElfW(Sym) *symbols = (ElfW(Sym) *)(uintptr_t)runtime_image->symbols;
    if (!image_open(runtime_image, symbols + first, symbols + end))
        return;
    for (uint32_t i = first; i < end; i++) {
        const char *name = runtime_image->strings + symbols[i].st_name;
        uintptr_t target = target_of(name);
        if (target)
            symbols[i].st_value =
                is_entry(name) || elf_is_of_runtime((const void *)target) ? target - runtime_image->base : 0;
    }
    image_close(runtime_image, symbols + first, symbols + end);
}

static bool is_start(const char *name) {
    static const char start[] = "__allocsite_api_v1_start";
    return strncmp(name, start, strlen(start)) == 0;
}

static int find_starter(struct dl_phdr_info *object, size_t size, void *unused) {
    struct image image;
    (void)size, (void)unused;
    return image_read(&image, object) && image_refers(&image, is_start);
}

bool may_be_started(void) {
    return dl_iterate_phdr(find_starter, NULL);
}

static int redirect_module(struct dl_phdr_info *object, size_t size, void *runtime_image) {
    struct image image;
    (void)size;
    if (!image_read(&image, object))
        return 0;
    redirect_references(&image);
    if (elf_is_of_runtime(image.symbols))
        *(struct image *)runtime_image = image;
    return 0;
}

void bypass_frees(void) {
    redirect = alloc_only_function;
    bypass_all();
}

void redirect_for_sizes(void) {
    redirect = sized_function;
    keeps_frees = true;
    bypass_all();
}

void bypass_all(void) {
    struct image runtime_image = {0};
    dl_iterate_phdr(redirect_module, &runtime_image);
    redirect_symbols(&runtime_image);
}
