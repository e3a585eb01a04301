/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What options select by names: functions whose callers are billed in their place, and slots that keep
 * stacks. */
#define _GNU_SOURCE
#include "lib/bill/stacks.h"

#include "format.h"
#include "lib/base/os.h"
#include "lib/base/slot.h"
#include "lib/base/table.h"
#include "lib/elf/image.h"
#include "lib/walk/walk.h"
#include "lib/who/callers.h"
#include "lib/who/descriptor.h"
#include "lib/who/modules.h"
#include "model/filter.h"
#include "model/options.h"
#include "names/names.h"

#include <errno.h>
#include <string.h>

enum { PATTERNS_MOST = 256, LIST_SIZE = 1 << 16, FRAMES_MOST = 16 };

static const char *patterns[PATTERNS_MOST];
static size_t pattern_count;
static bool is_cut;
static const char *custom_line; /* the first one that tells of a custom allocator */

/* Where such functions are, as the module's file has it. */
struct range {
    uint64_t begin, end;
};

/* Two threads can have met a module at once; either of its ranges are right. */
struct listed_module {
    struct listed_module *next;
    const struct module *module;
    bool has_all; /* a stripped file tells only of functions that others may use */
    size_t count;
    struct range ranges[];
};

static struct listed_module *listed_modules; /* only ever pushed to */

/* "fun:PATTERN=wrapper", and arguments that are for the plugin. */
static void take_line(char *line) {
    static const char begin[] = "fun:", end[] = "=wrapper";
    line += strspn(line, " \t");
    bool is_function = strncmp(line, begin, strlen(begin)) == 0;
    char *behind = is_function ? strstr(line, end) : NULL;
    if (!behind) {
        if (is_function && !custom_line && strchr(line, '=') && !strstr(line, "=ignore"))
            custom_line = line;
        return;
    }
    if (pattern_count == PATTERNS_MOST) {
        is_cut = true;
        return;
    }
    *behind = '\0';
    patterns[pattern_count++] = line + strlen(begin);
}

bool listed_begin(const char *path) {
    if (strcmp(path, "none") == 0)
        return false;
    char *text = os_map(LIST_SIZE, OS_FORK_KEEPS);
    long length = text ? os_read_file(path, text, LIST_SIZE - 1) : -1;
    if (length < 0) {
        os_say("no list from ", path, ": ", strerrordesc_np(errno));
        return false;
    }
    for (char *next; text; text = next) {
        next = strchr(text, '\n');
        if (next)
            *next++ = '\0';
        take_line(text);
    }
    if (is_cut || length == LIST_SIZE - 1)
        os_say("the list ", path, " is too long: 64 KiB and 256 wrappers of it are read");
    if (custom_line)
        os_say("the list ", path, " names wrappers here; ", custom_line,
               " and the like hold in code that is compiled with -fallocsite-list=", path);
    else if (!pattern_count)
        os_say("no list from ", path, ": no line is fun:PATTERN=wrapper");
    return pattern_count;
}

static bool is_listed(const char *function) {
    for (size_t i = 0; i < pattern_count; i++)
        if (filter_is_function(patterns[i], function))
            return true;
    return false;
}

/* Those of operators stay. */
static void drop_template_arguments(char *name) {
    const char *from = name, *end = strstr(name, "operator");
    for (unsigned depth = 0; *from && from != end; from++) {
        depth += *from == '<';
        if (!depth)
            *name++ = *from;
        depth -= *from == '>' && depth;
    }
    memmove(name, from, strlen(from) + 1);
}

/* Of a symbol or demangled, of C++ without what its programmer does not write. */
static bool is_listed_function(const char *function) {
    char name[NAME_SIZE];
    if (!function || is_listed(function))
        return function;
    if (strncmp(function, "_Z", 2) != 0 && !strpbrk(function, "<("))
        return false;
    name_function(name, function, SIZE_MAX);
    drop_template_arguments(name);
    return is_listed(name);
}

/* The wrapper's twin is the wrapper, and so are a compiler's copies of it. */
static bool is_listed_symbol(const char *symbol) {
    char plain[1024];
    const char *end = strchr(symbol, '.');
    if (!end)
        return is_listed_function(symbol);
    size_t length = (size_t)(end - symbol);
    if (length >= sizeof plain)
        return false;
    memcpy(plain, symbol, length);
    plain[length] = '\0';
    return is_listed_function(plain);
}

/* ---- The functions of a module. */

/* Returns how many there are. to: NULL: they are only counted. */
static size_t take_ranges(const struct symtab *symbols, struct range *to) {
    size_t count = 0;
    for (size_t i = 0; i < symbols->count; i++) {
        const Elf64_Sym *symbol = &symbols->list[i];
        if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF ||
            symbol->st_name >= symbols->strings_size || !is_listed_symbol(symbols->strings + symbol->st_name))
            continue;
        if (to)
            to[count] = (struct range){symbol->st_value, symbol->st_value + symbol->st_size};
        count++;
    }
    return count;
}

static struct listed_module *read_module(const struct module *module) {
    struct symtab symbols;
    bool has_all = symtab_open(&symbols, module->path, false);
    bool is_open = has_all || symtab_open(&symbols, module->path, true);
    size_t count = is_open ? take_ranges(&symbols, NULL) : 0;
    struct listed_module *listed = arena_take(sizeof *listed + count * sizeof *listed->ranges);
    if (listed) {
        listed->module = module;
        listed->has_all = has_all;
        listed->count = count ? take_ranges(&symbols, listed->ranges) : 0;
    }
    if (is_open)
        symtab_close(&symbols);
    return listed;
}

static const struct listed_module *find_module(const struct module *module) {
    struct listed_module *head = __atomic_load_n(&listed_modules, __ATOMIC_ACQUIRE);
    for (struct listed_module *at = head; at; at = at->next)
        if (at->module == module)
            return at;
    struct listed_module *fresh = read_module(module);
    do {
        if (fresh)
            fresh->next = head;
    } while (fresh && !__atomic_compare_exchange_n(&listed_modules, &head, fresh, false, __ATOMIC_ACQ_REL,
                                                   __ATOMIC_ACQUIRE));
    return fresh;
}

/* address: where a call returns to, which may be behind the end of its function. */
static bool holds(const struct module *module, uint64_t address) {
    const struct listed_module *listed = module && module->known ? find_module(module) : NULL;
    for (size_t i = 0; listed && i < listed->count; i++)
        if (address > listed->ranges[i].begin && address <= listed->ranges[i].end)
            return true;
    return false;
}

/* ---- Records and stacks. */

/* The function that has the site's code. */
static const char *function_of(const struct allocsite_site *site) {
    struct place at = descriptor_at(site);
    for (const struct allocsite_frame *frame = descriptor_caller(site); frame;
         frame = descriptor_frame(&frame->caller))
        at = descriptor_place(frame);
    return at.function;
}

bool listed_has(const struct record *record) {
    if (!pattern_count)
        return false;
    return record->site ? is_listed_function(function_of(record->site))
                        : holds(record->module, record->address);
}

/* Whether a record is a listed function's that has left by a tail call, when no frame of it is found. */
static bool has_left(const struct record *record) {
    const struct module *module = record->site ? record->module : NULL;
    const struct listed_module *listed = module && module->known ? find_module(module) : NULL;
    return listed && listed->has_all;
}

uint32_t listed_caller(uint32_t slot, const void *frame, const void *beyond) {
    const void *frames[FRAMES_MOST];
    enum walk_end end;
    size_t count = walk_stack_from(frame, frames, FRAMES_MOST, beyond, &end), first = 0;
    for (bool is_inside = true; is_inside && first < count; first += is_inside) {
        struct module_address at = module_address(frames[first]);
        is_inside = holds(at.module, at.address);
    }
    bool is_found = first < count && (first || has_left(record_at(slot)));
    uint32_t found = is_found ? caller_slot(frames[first]) : NO_SLOT;
    return found == NO_SLOT ? slot : found;
}

/* ---- Which slots keep stacks. */

static bool is_site(const char *pattern, const struct allocsite_site *site) {
    struct place at = descriptor_at(site);
    if (filter_is_id(pattern, site->hash) || filter_is_name(pattern, descriptor_request(site, false)) ||
        filter_is_name(pattern, descriptor_request(site, true)) || filter_is_place(pattern, &at))
        return true;
    for (const struct allocsite_frame *frame = descriptor_caller(site); frame;
         frame = descriptor_frame(&frame->caller)) {
        at = descriptor_place(frame);
        if (filter_is_place(pattern, &at))
            return true;
    }
    return false;
}

/* Returns what is behind it. */
static const char *take_pattern(const char *patterns, char pattern[OPTIONS_PATH_SIZE]) {
    size_t length = strcspn(patterns, ",");
    memcpy(pattern, patterns, length);
    pattern[length] = '\0';
    return patterns + length + (patterns[length] == ',');
}

/* Which patterns have matched something; those behind the 64th are not told of. */
static uint64_t matched;

bool stack_sites_select(const char *patterns, const struct record *record) {
    char pattern[OPTIONS_PATH_SIZE];
    uint64_t these = 0;
    bool is_selected = false;
    for (unsigned number = 0; *patterns; number++) {
        patterns = take_pattern(patterns, pattern);
        if (!(record->site ? is_site(pattern, record->site) : filter_is_path(pattern, record->module->path)))
            continue;
        is_selected = true;
        these |= number < 64 ? UINT64_C(1) << number : 0;
    }
    __atomic_fetch_or(&matched, these, __ATOMIC_RELAXED);
    return is_selected;
}

void stack_sites_tell(const char *patterns) {
    char pattern[OPTIONS_PATH_SIZE];
    for (unsigned number = 0; *patterns && number < 64; number++) {
        patterns = take_pattern(patterns, pattern);
        if (!(matched >> number & 1))
            os_say("stack_sites: nothing that allocated matches ", pattern);
    }
}
