/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies the memory of a process. */
#include "dump/capture/capture.h"
#include "dump/capture/resident.h"

#include "dump/base/memory.h"
#include "dump/process/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Headroom for a process that grows while its size is measured. A process that waits for us hardly grows. */
enum { MARGIN = 16 << 20 };

/* Below this size (about 20 ms of reading) a fork of the process is not worthwhile. */
enum { WORTH_A_COPY = 48 << 20 };

static uint64_t capture_now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* The kernel may merge a mapping of the runtime with a neighbour of the program's. */
static void want_programs(struct capture *capture, const struct capture_map *map) {
    const struct capture_maps *maps = &capture->maps;
    uint64_t begin = map->begin;
    for (size_t i = 0; i < maps->runtime_span_count && maps->runtime_spans[i].begin < map->end; i++) {
        if (maps->runtime_spans[i].end <= begin)
            continue;
        if (begin < maps->runtime_spans[i].begin)
            image_want(&capture->image, begin, maps->runtime_spans[i].begin);
        begin = maps->runtime_spans[i].end;
    }
    if (begin < map->end)
        image_want(&capture->image, begin, map->end);
}

/* The linker makes part of a module's data read-only after relocation, so not all of it is writable. */
static void want_mapping(struct capture *capture, const struct capture_map *map) {
    if (!map->is_readable || heap_is_table(&capture->heap, map->begin, map->end))
        return;
    bool has_blocks = map->is_writable && heap_want(&capture->heap, &capture->image, map->begin, map->end);
    bool may_have = map->kind == MAP_ANONYMOUS_DATA || (capture->target->is_ending && map->kind == MAP_DATA);
    if (capture->target->resident)
        return;
    if (has_blocks || may_have || capture_maps_is_root(&capture->maps, map, &capture->stop))
        want_programs(capture, map);
}

static bool want_all(struct capture *capture, struct reason *why) {
    if (!heap_open(&capture->heap, &capture->root, &capture->memory, why) ||
        !capture_maps_read(&capture->maps, &capture->memory, &capture->root, &capture->heap, why))
        return false;
    heap_want_regions(&capture->heap, &capture->image, &capture->memory);
    for (size_t i = 0; i < capture->maps.count; i++)
        want_mapping(capture, &capture->maps.list[i]);
    return true;
}

static const struct root_caller *caller_of(const struct capture *capture) {
    return capture->target->caller ? &capture->caller : NULL;
}

static bool find_root(struct capture *capture, struct reason *why) {
    struct remote_root *root = &capture->root;
    if (!capture->target->caller)
        return remote_root_find(root, &capture->memory, why);
    bool is_read =
        remote_read(&capture->memory, capture->target->caller, &capture->caller, sizeof capture->caller);
    root->address = (uintptr_t)capture->caller.root;
    if (!is_read || !remote_read(&capture->memory, root->address, &root->root, sizeof root->root))
        return reason_set(why, "the kernel does not permit reading its memory");
    return root->root.version == ROOT_VERSION || reason_set(why, "has another version of allocsite");
}

/* Measures the process before it is stopped, to reserve the memory for the copy. */
static bool capture_prepare(struct capture *capture, struct reason *why) {
    if (!find_root(capture, why) || !image_open(&capture->image, capture->memory.pid, why))
        return false;
    bool is_known = want_all(capture, why);
    uint64_t size = capture->image.size;
    uint64_t margin = capture->target->caller ? 0 : size / 8 + MARGIN;
    image_want_none(&capture->image);
    capture_maps_free(&capture->maps);
    heap_close(&capture->heap);
    return is_known && image_make_room(&capture->image, size + margin, why);
}

static void complain_of(const struct capture *capture, const char *what, const struct reason *why) {
    char pid[16];
    snprintf(pid, sizeof pid, "%u", capture->memory.pid);
    complain_file(pid, "%s%s%s", what, why ? ": " : "", why ? why->text : "");
}

/* Forks a copy of the process. False: all memory must be read while the process is stopped, which is as fast
 * for small ones. */
static bool make_copy(struct capture *capture) {
    struct reason why;
    const struct stop *stop = &capture->stop;
    bool is_halted = stop->threads[0].is_halted; /* stopped by a debugger or signal, not waiting for us */
    bool is_waiting = capture->target->is_ending || (stop->threads[0].is_caller && stop->count == 1);
    if (capture->image.size < WORTH_A_COPY || is_halted || is_waiting)
        return false;
    if (process_copy_make(&capture->process, stop, caller_of(capture), &capture->memory, &why)) {
        if (image_share(&capture->image, capture->process.pid, &why))
            return true;
        process_copy_end(&capture->process, &capture->memory);
    }
    complain_of(capture, "could not be forked, so it was stopped for longer", &why);
    return false;
}

static void copy_remaining(struct capture *capture) {
    remote_memory_open(&capture->copy, capture->process.pid);
    if (capture->image.bytes)
        image_copy(&capture->image, &capture->copy, false);
    remote_memory_close(&capture->copy);
    if (!process_copy_end(&capture->process, &capture->memory))
        complain_of(capture, "keeps an ended child, its copy, until it ends", NULL);
    capture->stopped += capture->process.stopped;
}

static bool copy_stopped(struct capture *capture, struct reason *why) {
    uint64_t from = capture_now(CLOCK_MONOTONIC);
    if (!stop_threads(&capture->stop, capture->target->pid, caller_of(capture), why))
        return false;
    struct resident *resident = capture->target->resident;
    bool is_right = want_all(capture, why) && (!resident || resident_read(resident, capture, why));
    bool has_copy = is_right && make_copy(capture);
    is_right = is_right && image_end(&capture->image, why);
    if (is_right)
        image_copy(&capture->image, &capture->memory, true);
    if (is_right && !has_copy)
        image_copy(&capture->image, &capture->memory, false);
    stop_release(&capture->stop);
    capture->stopped = capture_now(CLOCK_MONOTONIC) - from;
    if (has_copy)
        copy_remaining(capture);
    return is_right;
}

static bool load_counters(struct capture *capture, struct reason *why) {
    char path[32];
    snprintf(path, sizeof path, REPORT_SOURCE_PID "%u", capture->target->pid);
    capture->has_source = report_source_load(&capture->source, capture->target->caller ? "-" : path, why);
    return capture->has_source;
}

bool capture_begin(struct capture *capture, const struct capture_target *target, struct reason *why) {
    *capture = (struct capture){.target = target};
    remote_memory_open(&capture->memory, target->thread ? target->thread : target->pid);
    if (!capture_prepare(capture, why) || !copy_stopped(capture, why))
        return false;
    heap_read(&capture->heap, &capture->image);
    finder_open(&capture->finder, &capture->heap, &capture->image);
    return load_counters(capture, why);
}

void capture_end(struct capture *capture) {
    if (capture->has_source)
        report_source_free(&capture->source);
    finder_close(&capture->finder);
    stop_free(&capture->stop);
    capture_maps_free(&capture->maps);
    heap_close(&capture->heap);
    if (capture->image.pagemap)
        image_close(&capture->image);
    remote_memory_close(&capture->memory);
}
