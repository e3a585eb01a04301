/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds a thread of a process that can call a function, and calls it.
 *
 * A lock that another thread holds will be released, because the other threads run. The calling thread itself
 * must hold none that the function needs: those of the allocator, of the dynamic loader, and of the C
 * library's lists of threads and of handlers. A thread holds these locks only within a few functions, so its
 * stack is walked up to its first frame. */
#include "dump/run/target.h"

#include "base/path.h"
#include "dump/base/memory.h"
#include "dump/elf/module_files.h"
#include "dump/process/process.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* For the strings, and for the function's own stack. */
enum { TEXT_ROOM = 8192, STACK_ROOM = 160 << 10, RED_ZONE = 128 };

/* ---- The functions of the process. */

/* __RTLD_DLOPEN in glibc's include/dlfcn.h, which __libc_dlopen_mode needs; libc.so.6 has only that function
 * before version 2.34. */
#define INTERNAL_DLOPEN 0x80000000

/* Returns whether to go on. */
typedef bool symbol_visitor(struct target *, const struct capture_module *, const char *name,
                            const Elf64_Sym *);

static void visit_symbols(struct target *target, const struct capture_module *module,
                          const struct elf_file *elf, symbol_visitor *visit) {
    const struct elf_section *table = elf_section_named(elf, ".dynsym");
    Elf64_Sym symbol;
    for (uint64_t i = 1; table && table->link < elf->count && elf_entry(table, i, &symbol, sizeof symbol);
         i++)
        if (symbol.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
            !visit(target, module, elf_string(&elf->sections[table->link], symbol.st_name), &symbol))
            return;
}

static void add_locked(struct target *target, uint64_t begin, uint64_t end) {
    memory_grow(&target->locked, target->locked_count, &target->locked_capacity, sizeof *target->locked);
    target->locked[target->locked_count++] = (struct locked_code){begin, end};
}

/* Functions of the C library that allocate, change its lists of threads, or enter the dynamic loader. */
static bool may_lock(const char *name) {
    static const char *const parts[] = {"alloc",  "free",   "memalign", "mallinfo", "mallopt",  "fork",
                                        "create", "atexit", "dl",       "exit",     "finalize", "getattr_np"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(name, parts[i]))
            return true;
    return false;
}

static bool see_libc(struct target *target, const struct capture_module *module, const char *name,
                     const Elf64_Sym *symbol) {
    uint64_t begin = module->base + symbol->st_value;
    if (may_lock(name))
        add_locked(target, begin, begin + symbol->st_size);
    if (strcmp(name, "__errno_location") == 0)
        target->errno_location = begin;
    else if (strcmp(name, "dlopen") == 0 || (strcmp(name, "__libc_dlopen_mode") == 0 && !target->dlopen)) {
        target->dlopen = begin;
        target->dlopen_flags = RTLD_NOW | (name[0] == '_' ? INTERNAL_DLOPEN : 0);
    }
    if (strcmp(name, "dlerror") == 0)
        target->dlerror = begin;
    return true;
}

/* An allocator other than the C library's has further locks. */
static bool see_of_other(struct target *target, const struct capture_module *module, const char *name,
                         const Elf64_Sym *symbol) {
    (void)symbol;
    bool is_allocator = strcmp(name, "malloc") == 0;
    if (is_allocator)
        add_locked(target, module->begin, module->end);
    target->has_own_malloc |= is_allocator && strcmp(module->path, target->maps.program) == 0;
    return !is_allocator;
}

static void see_module(struct target *target, const struct capture_module *module) {
    struct module_file file = {.is_open = false};
    struct reason unimportant;
    char *path = memory_text("/proc/%u/root%s", target->pid, module->path);
    bool is_libc = path_is_c_library(module->path);
    bool is_loader = strncmp(path_base(module->path), "ld-linux", strlen("ld-linux")) == 0 ||
                     strncmp(path_base(module->path), "ld-2.", strlen("ld-2.")) == 0;
    if (is_libc)
        target->libc = module;
    if (is_loader)
        add_locked(target, module->begin, module->end);
    else if (module_file_open(&file, path, &unimportant))
        visit_symbols(target, module, &file.elf, is_libc ? see_libc : see_of_other);
    module_file_close(&file, &unimportant);
    free(path);
}

bool target_open(struct target *target, unsigned pid, struct reason *why) {
    static const struct remote_root none;
    static const struct heap no_heap;
    *target = (struct target){.pid = pid};
    remote_memory_open(&target->memory, pid);
    if (!capture_maps_read(&target->maps, &target->memory, &none, &no_heap, why)) {
        remote_memory_close(&target->memory);
        return false;
    }
    target->walk = capture_walk_open(&target->maps, &target->memory, NULL);
    for (size_t i = 0; i < target->maps.module_count; i++)
        see_module(target, &target->maps.modules[i]);
    bool has_all = target->libc && target->dlopen && target->errno_location;
    if (has_all && !target->has_own_malloc)
        return true;
    reason_set(why, !target->maps.module_count ? "has modules that cannot be read"
                    : !has_all                 ? "has another C library than glibc"
                                               : "has a malloc of its own in its executable");
    target_close(target);
    return false;
}

void target_close(struct target *target) {
    capture_walk_close(target->walk);
    capture_maps_free(&target->maps);
    remote_memory_close(&target->memory);
    free(target->locked);
}

/* ---- Choosing a thread. */

struct look {
    const struct target *target;
    bool is_in_call;  /* its innermost frame waits for the kernel */
    bool is_within;   /* a frame was seen */
    bool has_program; /* a frame outside of the C library was seen, so the thread neither begins nor ends */
};

static bool is_in(const struct capture_module *module, uint64_t address) {
    return module->begin <= address && address < module->end;
}

static bool is_locked(const struct target *target, uint64_t address) {
    for (size_t i = 0; i < target->locked_count; i++)
        if (target->locked[i].begin <= address && address < target->locked[i].end)
            return true;
    return false;
}

/* While the thread is not in a system call, an unexported function of the C library may be a part of the
 * allocator that was reached by a jump. */
static bool look_at(void *context, const struct cfi_frame *frame, enum cfi_next next) {
    struct look *look = context;
    uint64_t address = frame->address - 1;
    bool is_libc = is_in(look->target->libc, address), is_first = !look->is_within;
    (void)next;
    look->is_within = true;
    look->has_program |= !is_libc;
    return !is_locked(look->target, address) && !(is_first && is_libc && !look->is_in_call);
}

/* In a call the kernel has the call's number, which it replaces when the call is over. */
static bool is_in_call(const struct stopped_thread *thread) {
    const struct user_regs_struct *registers = (const struct user_regs_struct *)thread->registers;
    return (long)registers->orig_rax >= 0;
}

static bool has_stack(const struct target *target, uint64_t sp) {
    const struct capture_map *map = capture_maps_at(&target->maps, sp);
    return map && (map->is_stack || sp - map->begin >= STACK_ROOM);
}

static bool is_free(struct target *target) {
    const struct stopped_thread *thread = &target->stop.threads[0];
    if (!thread->register_count || !has_stack(target, thread->sp))
        return false;
    struct look look = {.target = target, .is_in_call = is_in_call(thread)};
    return capture_walk_thread(target->walk, thread, look_at, &look) && look.has_program;
}

/* Stops this thread and keeps it if it can be used. *why has the reason if it cannot be stopped. */
static bool try_thread(struct target *target, int id, bool *is_refused, struct reason *why) {
    struct reason unimportant;
    bool is_filtered = process_filters_calls((uint64_t)id);
    *is_refused = is_filtered || process_ignores((uint64_t)id, SIGTRAP);
    if (*is_refused)
        return reason_set(why, is_filtered ? "filters its system calls (seccomp)" : "ignores SIGTRAP");
    if (!stop_thread(&target->stop, target->pid, id, why)) {
        *is_refused = true;
        return false;
    }
    if (target->stop.count && is_free(target) &&
        injection_begin(&target->injection, &target->stop, &target->memory, &unimportant))
        return true;
    if (target->stop.count && target->stop.threads[0].is_halted) {
        *is_refused = true;
        reason_set(why, "is stopped; kill -CONT %u lets it run", target->pid);
    }
    stop_release(&target->stop);
    stop_free(&target->stop);
    return false;
}

static bool try_all(struct target *target, bool *is_refused, struct reason *why) {
    char path[32];
    snprintf(path, sizeof path, "/proc/%u/task", target->pid);
    DIR *tasks = opendir(path);
    bool is_held = false;
    if (!tasks) {
        *is_refused = true;
        return reason_set(why, "has ended");
    }
    for (const struct dirent *entry; !is_held && !*is_refused && (entry = readdir(tasks));) {
        int id = atoi(entry->d_name);
        is_held = id > 0 && try_thread(target, id, is_refused, why);
    }
    closedir(tasks);
    return is_held;
}

static uint64_t target_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Milliseconds, and nanoseconds between tries. */
enum { PATIENCE = 10000, PAUSE = 700000 };

/* Errno is the thread's own, and the functions may change it. */
static bool keep_errno(struct target *target, struct reason *why) {
    return target_call(target, target->errno_location, NULL, 0, &target->errno_address, why) &&
           (remote_read(&target->memory, target->errno_address, &target->error, sizeof target->error) ||
            reason_errno(why));
}

bool target_hold(struct target *target, struct reason *why) {
    bool is_refused = false;
    for (uint64_t begun = target_milliseconds(); target_milliseconds() - begun < PATIENCE;) {
        if (try_all(target, &is_refused, why)) {
            if (keep_errno(target, why))
                return true;
            target_release(target);
            return false;
        }
        if (is_refused)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = PAUSE}, NULL);
    }
    return reason_set(why, "has no thread that could load the runtime: for ten seconds all were in the "
                           "allocator or the dynamic loader, had too little stack, or had no unwind tables");
}

void target_release(struct target *target) {
    if (target->errno_address)
        remote_write(&target->memory, target->errno_address, &target->error, sizeof target->error);
    target->errno_address = 0;
    injection_end(&target->injection, &target->stop);
    stop_release(&target->stop);
    stop_free(&target->stop);
}

/* ---- Calling. */

bool target_call(struct target *target, uint64_t function, const char *text, uint64_t second,
                 uint64_t *result, struct reason *why) {
    uint64_t at = target->stop.threads[0].sp - RED_ZONE - TEXT_ROOM;
    size_t size = text ? strlen(text) + 1 : 0;
    if (size > TEXT_ROOM)
        return reason_set(why, "cannot be given the path of the runtime: it is too long");
    if (size && !remote_write(&target->memory, at, text, size))
        return reason_errno(why);
    const uint64_t arguments[CALL_ARGUMENTS] = {size ? at : 0, second};
    return injection_run(&target->injection, &target->memory, function, arguments, at, result) ||
           reason_set(why, "has ended");
}

bool target_reason(struct target *target, uint64_t text, struct reason *why) {
    char bytes[200] = "";
    for (size_t i = 0;
         i + 1 < sizeof bytes && remote_read(&target->memory, text + i, &bytes[i], 1) && bytes[i];)
        i++;
    return reason_set(why, "%s", bytes);
}

struct quiet {
    const struct capture_module *module;
    bool is_within; /* a frame in the module was seen */
};

static bool look_for_module(void *context, const struct cfi_frame *frame, enum cfi_next next) {
    struct quiet *quiet = context;
    (void)next;
    quiet->is_within |= is_in(quiet->module, frame->address - 1);
    return !quiet->is_within;
}

static bool is_quiet(struct target *target, const struct stop *stop, const struct capture_module *module) {
    struct quiet quiet = {.module = module};
    for (size_t i = 0; i < stop->count && !quiet.is_within; i++)
        capture_walk_thread(target->walk, &stop->threads[i], look_for_module, &quiet);
    return !quiet.is_within;
}

static const struct capture_module *module_of(const struct target *target, uint64_t address) {
    size_t i = 0;
    while (i < target->maps.module_count && !is_in(&target->maps.modules[i], address))
        i++;
    return i < target->maps.module_count ? &target->maps.modules[i] : NULL;
}

static bool call_stopped(struct target *target, const struct stop *stop, uint64_t function) {
    struct injection injection;
    struct reason unimportant;
    uint64_t unused;
    const uint64_t none[CALL_ARGUMENTS] = {0};
    if (!injection_begin(&injection, stop, &target->memory, &unimportant))
        return false;
    bool is_done =
        injection_run(&injection, &target->memory, function, none, injection.thread->sp - RED_ZONE, &unused);
    injection_end(&injection, stop);
    return is_done;
}

bool target_call_quiet(struct target *target, uint64_t function, uint64_t in_module) {
    const struct capture_module *module = module_of(target, in_module);
    long pause = PAUSE;
    bool is_done = false;
    for (uint64_t begun = target_milliseconds();
         module && !is_done && target_milliseconds() - begun < PATIENCE;) {
        struct stop stop;
        struct reason unimportant;
        if (!stop_threads(&stop, target->pid, NULL, &unimportant)) {
            stop_free(&stop);
            return false;
        }
        is_done = is_quiet(target, &stop, module) && call_stopped(target, &stop, function);
        stop_release(&stop);
        stop_free(&stop);
        if (!is_done)
            nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
        pause = pause < 64 * PAUSE ? 2 * pause : pause; /* a waiting thread needs a processor */
    }
    return is_done;
}
