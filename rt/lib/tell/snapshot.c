/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A snapshot of which blocks point to which. The copy of the process that writes it has all memory as it was
 * at one moment, and shares none that the process goes on to change; it has one thread, and runs nothing of
 * the program. Sites have the numbers of their slots; slot 0, which is never given, has what nobody counts.
 */
#define _GNU_SOURCE
#include "lib/tell/tell.h"

#include "base/hash.h"
#include "lib/base/os.h"
#include "lib/base/state.h"
#include "lib/heap/shadow.h"
#include "lib/reach/still.h"
#include "lib/store/store.h"
#include "lib/walk/walk.h"
#include "lib/who/descriptor.h"
#include "lib/who/registry.h"
#include "snapshot/snapshot.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { UNCOUNTED, OUT_SIZE = 1 << 18, ENDED_EARLY = 1 };

struct copy {
    int fd;
    int32_t child;
    const struct still *still;
    struct out out;
    struct snapshot to;
    struct blocks blocks;
    struct maps maps;
    uint32_t slots, texts; /* texts: that were given numbers so far */
    bool *has_blocks;      /* of each slot that is a stack */
    uint32_t stacks;       /* as many as slots, or none */
    struct known_module {
        uint32_t slot, number;
    } module; /* which was looked for last */
    uint64_t stopped;
};

/* ---- Texts: each is written as often as it is named, for there are not many. */

/* NULL: the slot was not used, or is a part of another one, under which its blocks are entered. */
static const struct record *site_at(uint32_t slot) {
    return record_stack(slot).parent ? NULL : record_at(slot);
}

static struct site_view view_of(const struct record *record) {
    const struct module *module = record->module;
    if (record->site)
        return descriptor_view(record->site, module->path, NULL, 0);
    return (struct site_view){.id = record->address
                                        ? caller_id(module->build_id, module->path, record->address)
                                        : module_id(module),
                              .module = module->path,
                              .address = record->address};
}

static const char *path_of(const struct module_data *data) {
    return data->name && *data->name ? data->name : program_path();
}

/* In the order in which they are given numbers. */
static void each_text(struct copy *copy, void (*see)(struct copy *, const char *)) {
    const struct modules_data *modules = &copy->still->modules;
    see(copy, program_path());
    for (size_t i = 0; i < modules->data_count; i++) {
        char build_id[BUILD_ID_SIZE];
        build_id_read(build_id, modules->data[i].start);
        see(copy, path_of(&modules->data[i]));
        see(copy, build_id);
    }
    for (uint32_t slot = 1; slot < copy->slots; slot++) {
        if (!site_at(slot))
            continue;
        struct site_view view = view_of(site_at(slot));
        see(copy, view.at.function);
        see(copy, view.at.file);
        see(copy, view.module);
        see(copy, view.type);
    }
}

static void count_text(struct copy *copy, const char *text) {
    copy->texts += text != NULL;
}

static void put_text(struct copy *copy, const char *text) {
    if (text)
        snapshot_text(&copy->to, text);
}

static uint32_t next_text(struct copy *copy, const char *text) {
    return text ? copy->texts++ : GRAPH_NONE;
}

/* ---- What is behind them. */

static void put_head(struct copy *copy) {
    const struct still *still = copy->still;
    struct graph_head head = {
        .pid = (uint64_t)still->stop.process, .taken = os_now(), .stopped = copy->stopped, .is_bare = true};
    each_text(copy, count_text);
    snapshot_begin(&copy->to, &copy->out, &head,
                   &(struct snapshot_counts){copy->texts, still->modules.data_count, copy->slots + 1,
                                             copy->stacks, copy->blocks.count});
    each_text(copy, put_text);
    copy->texts = 1; /* the program's path */
}

static void put_modules(struct copy *copy) {
    const struct modules_data *modules = &copy->still->modules;
    for (size_t i = 0; i < modules->data_count; i++) {
        const struct module_data *data = &modules->data[i];
        struct graph_module module = {
            .begin = data->span.begin, .size = data->span.end - data->span.begin, .base = data->base};
        module.path = copy->texts++;
        module.build_id = copy->texts++;
        snapshot_module(&copy->to, &module);
    }
}

static void put_site(struct copy *copy, uint32_t slot) {
    const struct record *record = slot && slot < copy->slots ? site_at(slot) : NULL;
    struct site_view view = record ? view_of(record) : (struct site_view){.id = 0};
    struct graph_site site = {.id = view.id,
                              .address = view.address,
                              .line = view.at.line,
                              .column = view.at.column,
                              .is_uncounted =
                                  slot == UNCOUNTED || (record && record->what == PROFILE_BACKING)};
    site.function = next_text(copy, view.at.function);
    site.file = next_text(copy, view.at.file);
    site.module = next_text(copy, view.module);
    site.type = next_text(copy, view.type);
    snapshot_site(&copy->to, &site);
}

/* Behind all of them one stands for what is not known. */
static uint32_t site_of(const struct copy *copy, uint32_t slot) {
    if (slot == SLOT_OURS)
        return UNCOUNTED;
    slot = slot_row(slot);
    return slot && slot < copy->slots && site_at(slot) ? slot : copy->slots;
}

/* ---- Stacks have the numbers of their slots too. */

static bool note_stacks(struct copy *copy) {
    copy->has_blocks = os_map(copy->slots + 1, OS_FORK_KEEPS);
    for (uint32_t i = 0; copy->has_blocks && i < copy->blocks.count; i++) {
        uint32_t slot = copy->blocks.all[i].slot;
        if (slot >= copy->slots || !record_stack(slot).parent)
            continue;
        copy->has_blocks[slot] = true;
        copy->stacks = copy->slots;
    }
    return copy->has_blocks;
}

/* Not found by address: what has that now may have come since. */
static uint32_t module_at_slot(struct copy *copy, uint32_t slot) {
    const struct modules_data *modules = &copy->still->modules;
    const struct record *record = slot ? record_at(slot) : NULL;
    size_t number = 0;
    if (!record || copy->module.slot == slot)
        return record ? copy->module.number : GRAPH_NONE;
    while (number < modules->data_count && strcmp(path_of(&modules->data[number]), record->module->path) != 0)
        number++;
    copy->module = (struct known_module){slot, number < modules->data_count ? (uint32_t)number : GRAPH_NONE};
    return copy->module.number;
}

static void put_calls(struct copy *copy, const struct profile_step *step) {
    for (; step; step = names_step_at(step->caller)) {
        const struct profile_return *to = names_return_at(step->to);
        snapshot_call(&copy->to,
                      &(struct graph_call){.module = module_at_slot(copy, to->module),
                                           .address = to->address[0] | (uint64_t)to->address[1] << 32});
    }
}

static void put_stacks(struct copy *copy) {
    for (uint32_t slot = 0; slot < copy->stacks; slot++) {
        snapshot_stack(&copy->to, &(struct graph_stack){.way = GRAPH_NONE});
        if (copy->has_blocks[slot])
            put_calls(copy, names_step_at(record_stack(slot).stack));
        snapshot_stack_end(&copy->to);
    }
}

static uint32_t stack_of(const struct copy *copy, uint32_t slot) {
    return slot < copy->stacks && copy->has_blocks[slot] ? slot : GRAPH_NONE;
}

struct edges {
    struct copy *copy;
    uintptr_t start; /* of the block that they are of */
};

static void put_edge(void *context, struct live_block *block, uintptr_t word, uintptr_t at) {
    const struct edges *edges = context;
    struct copy *copy = edges->copy;
    uintptr_t offset = at - edges->start;
    snapshot_edge(&copy->to,
                  &(struct graph_edge){.to = (uint32_t)(block - copy->blocks.all),
                                       .label = GRAPH_NONE,
                                       .offset = offset < UINT32_MAX ? (uint32_t)offset : UINT32_MAX,
                                       .flags = word != block->start ? GRAPH_INTERIOR : 0});
}

static void put_blocks(struct copy *copy) {
    for (uint32_t i = 0; i < copy->blocks.count; i++) {
        const struct live_block *block = &copy->blocks.all[i];
        snapshot_block(&copy->to,
                       &(struct graph_block){
                           .address = block->start, .size = block->size, .site = site_of(copy, block->slot)},
                       stack_of(copy, block->slot));
        blocks_search(&copy->blocks, &copy->maps, (struct span){block->start, block->start + block->size},
                      put_edge, &(struct edges){copy, block->start});
        snapshot_block_end(&copy->to);
    }
}

static void put_root(void *context, struct live_block *block, const struct reach_root *root) {
    struct copy *copy = context;
    snapshot_root(&copy->to, &(struct graph_root){.to = (uint32_t)(block - copy->blocks.all),
                                                  .label = GRAPH_NONE,
                                                  .offset = root->at,
                                                  .thread = (uint32_t)root->thread,
                                                  .kind = root->kind});
}

static void put_roots(struct copy *copy) {
    struct roots roots = still_roots(copy->still);
    roots.maps = &copy->maps;
    roots.blocks = &copy->blocks;
    roots.found = put_root;
    roots.context = copy;
    roots_search(&roots);
    while (roots_search_coroutines(&roots))
        ;
}

struct frames {
    struct copy *copy;
    int32_t thread;
};

static uint32_t module_at(const struct modules_data *modules, uintptr_t address) {
    for (size_t i = 0; i < modules->data_count; i++)
        if (modules->data[i].whole.begin <= address && address < modules->data[i].whole.end)
            return (uint32_t)i;
    return GRAPH_NONE;
}

static void put_frame(void *context, const struct cfi_frame *frame) {
    const struct frames *frames = context;
    const struct modules_data *modules = &frames->copy->still->modules;
    struct graph_frame to = {.thread = (uint32_t)frames->thread, .begin = frame->begin, .end = frame->end};
    to.module = module_at(modules, frame->address - 1);
    to.address = frame->address - (to.module == GRAPH_NONE ? 0 : modules->data[to.module].base);
    snapshot_frame(&frames->copy->to, &to);
}

/* Of other threads the kernel tells the registers. */
static void put_frames(struct copy *copy) {
    const struct still *still = copy->still;
    struct roots roots = still_roots(still);
    roots.maps = &copy->maps;
    walk_frames(still->registers, still->caller.sp, put_frame, &(struct frames){copy, still->stop.caller});
    for (uint32_t i = 0; i < still->stop.count; i++) {
        const struct registers *registers = &still->stop.registers[i];
        struct frames frames = {copy, still->stop.threads[i].id};
        struct caller thread = {.sp = registers->sp};
        uintptr_t all[CFI_REGISTERS];
        if (!registers->sp)
            continue;
        cfi_registers(all, (const struct user_regs_struct *)registers->words);
        walk_frames(all, roots_stack_begin(&roots, thread, frames.thread), put_frame, &frames);
    }
}

/* 0 or errno. The mappings are read before there is any memory with copies of addresses. */
static int write_all(struct copy *copy) {
    copy->stopped = os_monotonic() - copy->still->begun;
    if (maps_read(&copy->maps) || blocks_collect(&copy->blocks))
        return ENOMEM;
    char *buffer = os_map(OUT_SIZE, OS_FORK_KEEPS);
    if (!buffer)
        return ENOMEM;
    out_open(&copy->out, copy->fd, buffer, OUT_SIZE);
    copy->slots = record_count();
    if (!note_stacks(copy) || !coroutines_begin(&copy->blocks, copy->still))
        return ENOMEM;
    put_head(copy);
    put_modules(copy);
    for (uint32_t slot = 0; slot <= copy->slots; slot++)
        put_site(copy, slot);
    put_stacks(copy);
    put_blocks(copy);
    put_roots(copy);
    snapshot_roots_end(&copy->to);
    put_frames(copy);
    snapshot_frames_end(&copy->to);
    snapshot_end(&copy->to);
    return out_flush(&copy->out);
}

/* ---- The copy of the process. */

/* It is a child of the process, and as the second process without a signal at its end. */
static const char *make_copy(struct still *still) {
    struct copy *copy = still->context;
    copy->still = still;
    copy->child = (int32_t)syscall(SYS_clone, CLONE_PARENT | CLONE_FILES | CLONE_UNTRACED, 0L, 0L, 0L, 0L);
    if (!copy->child)
        syscall(SYS_exit_group, write_all(copy));
    return copy->child > 0 ? NULL : "there is no memory for a copy of the process";
}

static const char *await(int32_t child) {
    int status;
    while (syscall(SYS_wait4, (long)child, &status, __WALL, NULL) < 0)
        if (errno != EINTR)
            return "the copy of the process is lost";
    if (!WIFEXITED(status) || WEXITSTATUS(status) == ENDED_EARLY)
        return "the copy of the process ended early";
    return WEXITSTATUS(status) ? strerrordesc_np(WEXITSTATUS(status)) : NULL;
}

static const char *write_now(int fd) {
    struct still still;
    struct copy *copy = runtime_owners ? os_map(sizeof *copy, OS_FORK_KEEPS) : NULL;
    if (!copy)
        return runtime_owners ? "out of memory" : "with owners=0 no blocks are known";
    copy->fd = fd;
    program_path();
    const char *why = still_look(&still, make_copy, copy);
    why = why ? why : await(copy->child);
    os_unmap(copy, sizeof *copy);
    return why;
}

static int write_file(struct report_file *file, int error, const char *why) {
    if (!error) {
        why = write_now(file->fd);
        error = report_file_close(file, why ? EIO : 0);
        why = why ? why : strerrordesc_np(error);
    }
    if (error)
        os_say("no graph in ", file->path, ": ", why);
    return error;
}

int snapshot_write_to(const char *path) {
    struct report_file file;
    const char *why = NULL;
    int error = report_file_open(&file, path, &why);
    return write_file(&file, error, why);
}

bool snapshot_is_wanted(void) {
    return strcmp(runtime_options()->graph, "none") != 0;
}

void snapshot_write_wanted(uint32_t number) {
    struct report_file file;
    const char *why = NULL;
    int error = report_path_open(&file, runtime_options()->graph, number, &why);
    write_file(&file, error, why);
}
