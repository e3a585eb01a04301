/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions of the program that are called at events. */
#include "lib/hook/hook.h"

#include "base/hash.h"
#include "base/words.h"
#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/os.h"
#include "lib/base/state.h"
#include "lib/count/sums.h"
#include "lib/count/threads.h"
#include "lib/hook/fail.h"
#include "lib/registry/descriptor.h"
#include "lib/registry/registry.h"
#include "model/filter.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#ifndef ALLOCSITE_STATIC
#include <dlfcn.h>
#endif

enum { HOOKS = 64, PATTERN_SIZE = 256, PLACES = 16, PATH_SIZE = 1024 };

enum { FREE_PLACE, CLAIMED, SET, REMOVED };

/* A place is reused only for the same function and data: a call in another thread may be in progress. */
struct hook {
    uint32_t state;
    allocsite_event_function *function;
    void *data;
    unsigned kinds;
    char site[PATTERN_SIZE], type[PATTERN_SIZE]; /* "": all */
    uint64_t least, most;                        /* sizes */
    uint64_t every, events;
};

static struct hook hooks[HOOKS];

bool hook_is_set;

/* ---- Filters. */

static bool filter_kinds(const char *value, unsigned *kinds) {
    static const char *const names[] = {"alloc", "realloc", "free"};
    *kinds = 0;
    while (*value) {
        size_t length = strcspn(value, ","), kind = 0;
        while (kind < 3 && (strncmp(names[kind], value, length) != 0 || names[kind][length]))
            kind++;
        if (kind == 3)
            return false;
        *kinds |= 1u << kind;
        value += length + (value[length] == ',');
    }
    return *kinds;
}

static bool filter_set(struct hook *hook, const char *key, const char *value) {
    if (strcmp(key, "events") == 0)
        return filter_kinds(value, &hook->kinds);
    if (strcmp(key, "site") == 0)
        return strcpy(hook->site, value);
    if (strcmp(key, "type") == 0)
        return strcpy(hook->type, value);
    if (strcmp(key, "min_size") == 0)
        return !amount_read_all(value, true, &hook->least);
    if (strcmp(key, "max_size") == 0)
        return !amount_read_all(value, true, &hook->most);
    return strcmp(key, "every") == 0 && !amount_read_all(value, false, &hook->every) && hook->every;
}

/* "key=value;key=value" */
static bool filter_read(struct hook *hook, const char *filter) {
    char part[PATTERN_SIZE];
    while (*filter) {
        size_t length = strcspn(filter, ";");
        if (length >= sizeof part)
            return false;
        memcpy(part, filter, length);
        part[length] = '\0';
        char *equals = strchr(part, '=');
        if (!equals)
            return false;
        *equals = '\0';
        if (!filter_set(hook, part, equals + 1))
            return false;
        filter += length + (filter[length] == ';');
    }
    return true;
}

/* ---- Adding and removing hooks. */

static bool hook_is_for(const struct hook *hook, allocsite_event_function *function, const void *data) {
    return hook->function == function && hook->data == data;
}

static struct hook *hook_claim(allocsite_event_function *function, const void *data) {
    for (int i = 0; i < HOOKS; i++) {
        uint32_t was = __atomic_load_n(&hooks[i].state, __ATOMIC_ACQUIRE);
        bool fits = was == FREE_PLACE || (was == REMOVED && hook_is_for(&hooks[i], function, data));
        if (fits && __atomic_compare_exchange_n(&hooks[i].state, &was, CLAIMED, false, __ATOMIC_ACQ_REL,
                                                __ATOMIC_ACQUIRE))
            return &hooks[i];
    }
    return NULL;
}

void hooks_watch_again(void) {
    threads_watch(__atomic_load_n(&hook_is_set, __ATOMIC_ACQUIRE) ||
                  __atomic_load_n(&fail_is_set, __ATOMIC_ACQUIRE));
}

static void hooks_watch(bool is_on) {
    __atomic_store_n(&hook_is_set, is_on, __ATOMIC_RELEASE);
    hooks_watch_again();
}

int hook_add(allocsite_event_function *function, void *data, const char *filter) {
    struct hook made = {.function = function, .data = data, .kinds = 7, .most = UINT64_MAX, .every = 1};
    if (!function || !filter_read(&made, filter ? filter : ""))
        return EINVAL;
    struct hook *hook = hook_claim(function, data);
    if (!hook)
        return ENOSPC;
    made.state = CLAIMED;
    *hook = made;
    __atomic_store_n(&hook->state, SET, __ATOMIC_RELEASE); /* callers read this first */
    hooks_watch(true);
    return 0;
}

static bool is_any_set(void) {
    for (int i = 0; i < HOOKS; i++)
        if (__atomic_load_n(&hooks[i].state, __ATOMIC_ACQUIRE) == SET)
            return true;
    return false;
}

int hook_remove(allocsite_event_function *function, void *data) {
    int error = ENOENT;
    for (int i = 0; i < HOOKS; i++) {
        uint32_t set = SET;
        if (hook_is_for(&hooks[i], function, data) &&
            __atomic_compare_exchange_n(&hooks[i].state, &set, REMOVED, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            error = 0;
    }
    if (!is_any_set())
        hooks_watch(false);
    if (is_any_set()) /* another thread may have added a hook after the first check */
        hooks_watch(true);
    return error;
}

/* ---- Calling them. */

static bool is_wanted(struct hook *hook, const struct allocsite_event *event, const struct site_view *view) {
    if (__atomic_load_n(&hook->state, __ATOMIC_ACQUIRE) != SET || !(hook->kinds & event->kind) ||
        event->size < hook->least || event->size > hook->most ||
        (hook->site[0] && !filter_matches(hook->site, view)) ||
        (hook->type[0] && !filter_is_name(hook->type, view->type)))
        return false;
    return __atomic_add_fetch(&hook->events, 1, __ATOMIC_RELAXED) % hook->every == 0;
}

struct site_view hook_site(uint32_t slot, struct place *places, size_t capacity) {
    const struct record *record = slot == NO_SLOT ? NULL : record_at(slot);
    const struct module *module = record ? record->module : NULL;
    if (!record)
        return (struct site_view){.id = 0};
    if (record->site)
        return descriptor_view(record->site, module->path, places, capacity);
    return (struct site_view){.id = record->address
                                        ? caller_id(module->build_id, module->path, record->address)
                                        : module_id(module),
                              .module = module->path,
                              .address = record->address};
}

static void event_describe(struct allocsite_event *event, const struct site_view *view) {
    event->site = view->sited ? view->id : 0;
    event->function = view->at.function;
    event->file = view->at.file;
    event->line = view->at.line;
    event->column = view->at.column;
    event->callee = view->callee;
    event->type = view->type;
    event->module = view->module;
    event->address = view->address;
}

static void event_sum(struct allocsite_event *event, uint32_t slot) {
    struct sum sum;
    struct counters counters;
    if (slot == NO_SLOT)
        return;
    sum_slot(slot, &sum);
    sum_counters(&counters, &sum);
    event->allocs = counters.allocs + counters.reallocs;
    event->live_blocks = counters.live_blocks;
    event->live_bytes = counters.live_bytes;
}

static void hook_load(const struct site_view *);

static void hooks_call(struct allocsite_event *event, uint32_t slot) {
    struct place places[PLACES];
    struct site_view view = hook_site(slot, places, PLACES);
    bool is_summed = false;
    hook_load(&view);
    event_describe(event, &view);
    for (int i = 0; i < HOOKS && __atomic_load_n(&hooks[i].state, __ATOMIC_ACQUIRE) != FREE_PLACE; i++) {
        if (!is_wanted(&hooks[i], event, &view))
            continue;
        if (!is_summed)
            event_sum(event, slot);
        is_summed = true;
        hooks[i].function(event, hooks[i].data);
    }
}

COLD void hook_call(enum allocsite_event_kind kind, uint32_t slot, const void *block, uint64_t size,
                    uint64_t old_size) {
    struct allocsite_event event = {.kind = kind, .block = block, .size = size, .old_size = old_size};
    if (local.silent)
        return;
    int error = errno;
    bool was_silent = silence_begin();
    uint32_t begun = local.begun;
    local.begun = 0; /* hooks may jump away */
    hooks_call(&event, slot);
    local.begun = begun;
    silence_end(was_silent);
    errno = error;
}

/* ---- The option hook. */

#ifdef ALLOCSITE_STATIC

void hook_load_later(const char *path) {
    os_say("hook: a static program loads no shared objects: ", path);
}

static void hook_load(const struct site_view *view) {
    (void)view;
}

#else

static char load_path[PATH_SIZE];

static void do_nothing(const struct allocsite_event *event, void *data) {
    (void)event;
    (void)data;
}

void hook_load_later(const char *path) {
    strncpy(load_path, path, sizeof load_path - 1);
    hook_add(do_nothing, load_path, "every=18446744073709551615");
}

/* Code of the program is running, so the C library is ready for dlopen. */
static void hook_load(const struct site_view *view) {
    static bool is_loaded;
    if (!load_path[0] || !view->sited || __atomic_exchange_n(&is_loaded, true, __ATOMIC_ACQ_REL))
        return;
    if (!dlopen(load_path, RTLD_NOW | RTLD_LOCAL))
        os_say("hook: ", dlerror());
    hook_remove(do_nothing, load_path);
}

#endif

/* ---- The option break. */

static uint64_t break_at;

/* Returns whether a debugger is attached: without one the signal would end the process. */
static bool is_traced(void) {
    char text[4096];
    long count = os_read_file("/proc/self/status", text, sizeof text - 1);
    text[count > 0 ? count : 0] = '\0';
    const char *tracer = strstr(text, "\nTracerPid:\t");
    return tracer && tracer[strlen("\nTracerPid:\t")] != '0';
}

static void break_stop(const struct allocsite_event *event, void *data) {
    static uint64_t count;
    (void)event;
    (void)data;
    if (__atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) != break_at)
        return;
    os_say(is_traced() ? "break: this allocation" : "break: reached, but no debugger is attached");
    if (is_traced())
        raise(SIGTRAP);
}

bool hook_break(const char *where) {
    char filter[PATTERN_SIZE + 32] = "events=alloc,realloc;site=";
    const char *number = strrchr(where, ':');
    size_t length = number ? (size_t)(number - where) : 0, begun = strlen(filter);
    if (!length || length + begun >= sizeof filter || amount_read_all(number + 1, false, &break_at) ||
        !break_at)
        return false;
    memcpy(filter + begun, where, length);
    filter[begun + length] = '\0';
    return hook_add(break_stop, NULL, filter) == 0;
}
