/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The profile of this process: how it begins, continues in forked children, and ends. */
#define _GNU_SOURCE
#include "lib/collect/profiling.h"

#include "format.h"
#include "lib/base/local.h"
#include "lib/base/os.h"
#include "lib/base/slot.h"
#include "lib/base/stack.h"
#include "lib/calls/interpose.h"
#include "lib/collect/collect.h"
#include "lib/registry/modules.h"
#include "lib/registry/registry.h"

#include "base/hash.h"
#include "base/path.h"
#include "lib/base/state.h"
#include "lib/base/table.h"
#include "lib/count/sums.h"
#include "lib/paths/stacks.h"
#include "lib/registry/descriptor.h"
#include "lib/store/store.h"
#include "root.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/single_threaded.h>
#include <unistd.h>

bool *profiling_here;

static struct table records = {.element = sizeof(struct profile_record),
                               .first = PROFILE_RECORDS_FIRST,
                               .areas = &store_areas,
                               .kind = PROFILE_RECORDS};

static const char *wanted_path;  /* the pattern of the path */
static char directory[PATH_MAX]; /* where relative paths start; saved because the program may change it */

static profile_name write_frames(const struct allocsite_frame *frame) {
    if (!frame)
        return 0;
    struct place place = descriptor_place(frame);
    struct profile_frame copy = {
        .function = names_text(place.function),
        .file = names_text(place.file),
        .line = place.line,
        .column = place.column,
        .caller = write_frames(descriptor_frame(&frame->caller)),
    };
    return names_frame(&copy);
}

static uint32_t slot_of_module(const struct module *module) {
    return module->slot == NO_SLOT ? 0 : module->slot;
}

static void record_write_site(struct profile_record *to, const struct record *record) {
    const struct allocsite_site *site = record->site;
    struct place place = descriptor_at(site);
    to->id = site->hash;
    to->module = slot_of_module(record->module);
    to->line = place.line;
    to->column = place.column;
    to->function = names_text(place.function);
    to->file = names_text(place.file);
    to->callee = names_text(descriptor_request(site, false));
    to->type = names_text(descriptor_request(site, true));
    to->inlined = write_frames(descriptor_caller(site));
}

static void record_write_module(struct profile_record *to, const struct record *record, uint32_t slot) {
    const struct module *module = record->module;
    to->id = module_id(module);
    to->module = slot;
    to->file = names_text(module->path);
    to->build_id = names_text(module->build_id[0] ? module->build_id : NULL);
}

static void record_write_caller(struct profile_record *to, const struct record *record) {
    const struct module *module = record->module;
    to->id = caller_id(module->build_id, module->path, record->address);
    to->module = slot_of_module(module);
    to->address = record->address;
}

static void record_write_part(struct profile_record *to, const struct record *record, uint32_t slot) {
    struct stack_record stack = record_stack(slot);
    to->module = slot_of_module(record->module);
    to->parent = stack.parent ? stack.parent : record->parent;
    to->stack = stack.stack;
}

static void record_write(uint32_t slot) {
    const struct record *record = record_at(slot);
    struct profile_record *to = record ? table_at(&records, slot) : NULL;
    uint32_t what = record ? record_what(slot) : PROFILE_UNUSED;
    if (!to || to->what)
        return;
    if (what == PROFILE_SITE)
        record_write_site(to, record);
    else if (what == PROFILE_MODULE)
        record_write_module(to, record, slot);
    else if (what == PROFILE_CALLER)
        record_write_caller(to, record);
    else
        record_write_part(to, record, slot);
    __atomic_store_n(&to->what, what, __ATOMIC_RELEASE);
}

/* A child that has not left its parent's file must not write: names and records there are the parent's. */
static void record_write_if_ours(uint32_t slot) {
    if (*profiling_here)
        record_write(slot);
}

static void records_write(void) {
    for (uint32_t slot = 1; slot < record_count(); slot++)
        record_write(slot);
}

/* Gives a child a path other than its parent's. */
static bool write_path(char *path, size_t size, const struct profile_header *header, const char *host,
                       bool is_child) {
    char pattern[PATH_MAX];
    struct path_names names = {.pid = header->pid, .program = program_path(), .host = host};
    size_t length = strlen(wanted_path), used = 0;
    if (length + sizeof ".%p" > sizeof pattern)
        return false;
    memcpy(pattern, wanted_path, length + 1);
    if (is_child && !profile_names_process(wanted_path))
        strcpy(pattern + length, ".%p");
    if (*wanted_path != '/') {
        used = strlen(directory);
        if (used + 1 >= size)
            return false;
        memcpy(path, directory, used);
        path[used++] = '/';
    }
    return path_expand(path + used, size - used, pattern, &names);
}

static char *profiling_command(void) {
    static char text[4096];
    os_command(text, sizeof text);
    return *text ? text : NULL;
}

static void write_header(struct profile_header *header) {
    const struct run_options *options = runtime_options();
    memcpy(header->magic, PROFILE_MAGIC, PROFILE_MAGIC_SIZE);
    header->version = PROFILE_VERSION;
    header->byte_order = PROFILE_BYTE_ORDER;
    header->rare = PROFILE_RARE_COUNT;
    header->pid = (uint64_t)os_process();
    header->start_time = os_start_time(header->pid);
    header->pid_namespace = os_pid_namespace();
    header->begun = header->begun ? header->begun : os_now();
    header->processes = 1;
    header->gaps |= gaps_all(); /* the gaps of a child's parent hold for the child too */
    header->flags |= (options->pairs ? PROFILE_HAS_PAIRS : 0) | (options->sizes ? PROFILE_HAS_SIZES : 0) |
                     (options->lifetime ? PROFILE_HAS_LIFETIMES : 0) |
                     (runtime_is_asleep() ? PROFILE_IS_ASLEEP : 0);
    header->walks = stacks_walks();
}

/* A child must have left its parent's file before: it writes names. */
static void write_header_names(struct profile_header *header, const char *host) {
    header->program = names_text(program_path());
    header->host = names_text(host);
    header->command = names_text(profiling_command());
}

static bool enter_file(struct new_profile *made, char *path, size_t size, bool is_child, const char **why) {
    /* If the path has %p, an existing file is from an earlier process with the same id. It is kept. */
    bool may_replace = !profile_names_process(wanted_path);
    if (!profile_settle(made, path, size, store_header(), may_replace, why))
        return false;
    int error = store_enter(made->fd, path, is_child ? record_count() : 0);
    if (!error)
        return true;
    *why = strerrordesc_np(error);
    unlink(path);
    return false;
}

static bool open_file(bool is_child, const char *host) {
    char path[PATH_MAX];
    struct new_profile made;
    const char *why = "a % in the path is not %p, %e, %h or %%, or it is too long";
    strcpy(path, wanted_path);
    bool is_open = write_path(path, sizeof path, store_header(), host, is_child) &&
                   profile_make(&made, path, store_header(), &why) &&
                   enter_file(&made, path, sizeof path, is_child, &why);
    if (!is_open)
        os_say("no profile in ", path, ": ", why);
    return is_open;
}

/* Uses a memfd. If a sandbox refuses it, the counters stay in private memory. The counters also stay there if
 * the kernel does not wipe memory on fork, because a child forked without the fork handlers would count in
 * its parent's file. */
static bool open_memory(bool is_child) {
    int fd = os_fork_refused() ? -1 : os_memory_file();
    return fd >= 0 && store_enter(fd, NULL, is_child ? record_count() : 0) == 0;
}

static void profiling_open(bool is_child) {
    char host[256];
    uint64_t signals = os_signals_hold();
    if (is_child)
        store_leave();
    os_host_name(host, sizeof host);
    write_header(store_header());
    bool is_open = (wanted_path && open_file(is_child, host)) || open_memory(is_child);
    runtime_state = is_open ? ROOT_HAS_FILE : ROOT_IS_PRIVATE;
    store_header()->flags &= ~(uint32_t)PROFILE_IS_PRIVATE;
    store_header()->flags |= is_open ? 0 : PROFILE_IS_PRIVATE;
    if (is_child && !is_open)
        store_detach(record_count());
    *profiling_here = true;
    write_header_names(store_header(), host);
    if (is_child && wanted_path)
        slots_inherit_heap();
    else if (is_child)
        store_header()->flags |= PROFILE_INHERITS;
    else
        collect_gaps(store_header());
    records_write();
    os_signals_release(signals);
}

/* A signal handler that forks may have interrupted an event. The child finishes that event with its parent's
 * state, so the child is inexact. The parent is not, so the child leaves its file first. */
static void leave_parent(void) {
    int error = errno;
    store_leave();
    if (local.begun)
        gap_set(GAP_TORN);
    errno = error;
}

/* Does the look-ups that a child cannot do (os_loader_may_block). */
static void prepare_fork(void) {
    int error = errno;
    if (!__libc_single_threaded) {
        interpose_find_all();
        collect_look();
    }
    errno = error;
}

static bool wanted_path_set(const char *pattern) {
    if (*pattern == '/' || getcwd(directory, sizeof directory)) {
        wanted_path = pattern;
        return true;
    }
    os_say("no profile in ", pattern, ": ", strerrordesc_np(errno));
    return false;
}

void profiling_begin(const char *pattern) {
    profiling_here = os_map(PROFILE_PAGE, OS_FORK_WIPES);
    if (!profiling_here) {
        gap_set(GAP_MEMORY);
        return;
    }
    if (pattern)
        wanted_path_set(pattern);
    record_added = record_write_if_ours;
    profiling_open(false);
    bool was_silent = silence_begin();
    pthread_atfork(prepare_fork, NULL, leave_parent);
    silence_end(was_silent);
}

int profiling_begin_late(const char *pattern) {
    char host[256];
    size_t size = strlen(pattern) + 1;
    char *kept = arena_take(size);
    if (!kept || !profiling_here)
        return ENOMEM;
    os_host_name(host, sizeof host);
    uint64_t signals = os_signals_hold();
    bool is_open = wanted_path_set(memcpy(kept, pattern, size)) && open_file(false, host);
    if (is_open)
        runtime_state = ROOT_HAS_FILE;
    os_signals_release(signals);
    wanted_path = is_open ? wanted_path : NULL;
    return is_open ? 0 : EIO;
}

bool profiling_is_wanted(void) {
    return wanted_path;
}

STACK_CALL(void, profiling_begin_child, void) {
    int error = errno;
    profiling_open(true);
    errno = error;
}

/* False in a child of vfork that is about to end: it sees its parent's profile. */
static bool is_of_this_process(void) {
    return store_is_file() && store_header()->pid == (uint64_t)os_process();
}

void profiling_end(void) {
    if (!is_of_this_process())
        return;
    store_header()->resident = os_resident();
    store_header()->ended = os_now();
}

/* The header of a process without a file is always its own. */
void profiling_note(enum profile_ending ending, int status) {
    struct profile_header *header = store_header();
    if (store_is_file() && !is_of_this_process())
        return;
    header->ending = ending;
    header->status = (uint32_t)status & 0xFF;
}

/* A static program calls _exit at the end of exit too, and an exit handler may call _exit. The ending is
 * EXIT_AT_ONCE only if exit has not noted the same status. */
void profiling_note_at_once(int status) {
    const struct profile_header *header = store_header();
    bool is_other = header->ending == PROFILE_EXIT && header->status != ((uint32_t)status & 0xFF);
    if (!header->ending || is_other)
        profiling_note(PROFILE_EXIT_AT_ONCE, status);
}

enum profile_ending profiling_execute(void) {
    enum profile_ending before = store_header()->ending;
    if (is_of_this_process()) {
        torn_look();
        store_header()->ending = PROFILE_EXEC;
        profiling_end();
    }
    return before;
}

void profiling_go_on(enum profile_ending before) {
    if (!is_of_this_process())
        return;
    store_header()->ended = store_header()->resident = 0;
    store_header()->ending = before;
}

static void write_copy_header(struct profile_header *header) {
    char host[256];
    os_host_name(host, sizeof host);
    sums_know_inherited();
    *header = *store_header();
    write_header(header);
    write_header_names(header, host);
    header->flags |= PROFILE_IS_COPY;
    header->ended = 0;
    collect_gaps(header);
}

int profiling_copy(int fd) {
    struct profile_header header;
    records_write();
    write_copy_header(&header);
    return store_copy(fd, &header);
}

int profiling_copy_to(const char *pattern) {
    char path[PATH_MAX], host[256];
    struct profile_header header;
    struct new_profile made;
    const char *why;
    os_host_name(host, sizeof host);
    records_write();
    write_copy_header(&header);
    struct path_names names = {.pid = header.pid, .program = program_path(), .host = host};
    if (!path_expand(path, sizeof path, pattern, &names))
        return EINVAL;
    if (!profile_make(&made, path, &header, &why))
        return errno;
    int error = lseek(made.fd, 0, SEEK_SET) < 0 ? errno : store_copy(made.fd, &header);
    if (error) {
        profile_discard(&made);
        return error;
    }
    if (!profile_settle(&made, path, sizeof path, &header, true, &why))
        return errno ? errno : EEXIST;
    os_close(made.fd);
    return 0;
}
