/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The profile that a process would have. */
#include "dump/process/process.h"

#include "dump/base/memory.h"
#include "dump/process/memory.h"
#include "model/holes.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A program that changes what is read all the time is read no more often than this. */
enum { READINGS = 5, NOTES_MAX = 8 };

struct reading {
    struct remote_memory memory;
    struct remote_root root;
    struct profile_header header; /* as it was when reading began */
    struct remote_areas areas;
    struct remote_names names;
    struct profile_note notes[NOTES_MAX];
    size_t note_count;
    uint64_t start_time;
    bool is_forked;                /* and has not written down what it inherited */
    bool is_rearranged, has_risen; /* since it began */
};

/* False: it is not there, and all of it is 0. */
static bool read_header(struct reading *reading, struct profile_header *header) {
    uint64_t address;
    bool is_read =
        remote_read(&reading->memory, (uintptr_t)reading->root.store.header, &address, sizeof address) &&
        address && remote_read(&reading->memory, address, header, sizeof *header);
    if (!is_read)
        *header = (struct profile_header){.version = 0};
    return is_read;
}

static bool read_option(struct reading *reading, uint16_t offset) {
    unsigned char is_set = 0; /* a bool there, or what has been made of it */
    remote_read(&reading->memory, (uintptr_t)reading->root.start.options + offset, &is_set, sizeof is_set);
    return is_set != 0;
}

static bool check_state(struct reading *reading, struct reason *why) {
    if (!remote_u32(&reading->memory, reading->root.start.pid))
        return reason_set(why, "has only just begun");
    return read_option(reading, reading->root.root.layout.option_enabled) ||
           reason_set(why, "counts nothing: it was started with enabled=0");
}

/* The copies may not fit together. */
static void look_for_changes(struct reading *reading) {
    struct profile_header now;
    struct remote_areas areas;
    struct reason unimportant;
    read_header(reading, &now);
    bool is_listed = remote_areas_list(&areas, &reading->memory, &reading->root, &unimportant);
    reading->is_rearranged = !is_listed || areas.count != reading->areas.count || now.resets % 2 ||
                             now.resets != reading->header.resets;
    reading->has_risen = memcmp(&now.peak, &reading->header.peak, sizeof now.peak) != 0;
    remote_areas_free(&areas);
}

static void add_note(struct reading *reading, const char *text) {
    struct profile_note *note = &reading->notes[reading->note_count++];
    note->what = PROFILE_NOTE_REASON;
    note->text = name_write(&reading->names.writer, text);
}

static bool is_forked(struct reading *reading) {
    uint32_t started = remote_u32(&reading->memory, reading->root.start.pid);
    uint64_t own = process_own_pid(reading->memory.pid);
    return own && own != started && !(reading->header.flags & PROFILE_IS_FORKED);
}

static void add_notes(struct reading *reading) {
    char unreadable[64];
    uint64_t count = reading->names.unreadable;
    snprintf(unreadable, sizeof unreadable, "names that could not be read: %" PRIu64, count);
    if (count)
        add_note(reading, unreadable);
    if (reading->is_rearranged)
        add_note(reading, "the program grew or reset its counters while they were read: some may be missing");
    if (reading->has_risen)
        add_note(reading,
                 "the peak rose while it was read: the sites' shares in it are of different moments");
    if (reading->is_forked)
        add_note(reading, "a forked child without a profile: what it inherited is known only as far as it "
                          "has freed it");
}

static uint64_t read_holes(struct reading *reading) {
    uint64_t holes = remote_u32(&reading->memory, reading->root.start.holes);
    if (reading->root.has_others)
        holes |= UINT64_C(1) << HOLE_SECOND_RUNTIME;
    if (reading->root.has_libraries && reading->root.root.flags & ROOT_IS_STATIC)
        holes |= UINT64_C(1) << HOLE_LIBRARIES;
    return holes;
}

static profile_name write_program(struct reading *reading) {
    char link[32], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/%u/exe", reading->memory.pid);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = '\0';
    return name_write(&reading->names.writer, length < 0 ? NULL : path);
}

static void write_header(struct reading *reading, struct profile_header *header) {
    const struct root_layout *layout = &reading->root.root.layout;
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    *header = reading->header;
    memcpy(header->magic, PROFILE_MAGIC, PROFILE_MAGIC_SIZE);
    header->version = PROFILE_VERSION;
    header->byte_order = PROFILE_BYTE_ORDER;
    header->rare = layout->rare;
    header->pid = reading->memory.pid;
    header->start_time = reading->start_time;
    header->pid_namespace = 0; /* not that in which the process has its number, but that of the reader */
    header->processes = 1;
    header->ended = header->missing = 0;
    header->flags &= PROFILE_HAS_LOST | PROFILE_IS_FORKED;
    header->flags |= (read_option(reading, layout->option_pairs) ? PROFILE_HAS_PAIRS : 0u) |
                     (read_option(reading, layout->option_sizes) ? PROFILE_HAS_SIZES : 0u) |
                     (read_option(reading, layout->option_lifetime) ? PROFILE_HAS_LIFETIMES : 0u) |
                     (reading->is_forked ? PROFILE_INHERITS : 0u);
    header->holes = read_holes(reading);
    header->program = write_program(reading);
    header->host = name_write(&reading->names.writer, host);
}

static void finish(struct reading *reading, struct profile_image *image) {
    struct profile_header header;
    struct profile_area notes = {.kind = PROFILE_NOTES, .size = sizeof reading->notes};
    const struct name_writer *writer = &reading->names.writer;
    add_notes(reading);
    write_header(reading, &header);
    profile_image_add_array(image, PROFILE_NAMES, writer->bytes, writer->size);
    profile_image_add_array(image, PROFILE_RECORDS, reading->names.records, reading->names.count);
    profile_image_add(image, &notes, reading->notes);
    profile_image_end(image);
    memcpy(image->bytes, &header, sizeof header);
}

/* A process that ends, or becomes another program, loses its memory in the middle: what was read until then
 * has counters without names. Of one that has had more read than it should this is not known. */
static bool is_still_there(struct reading *reading, struct reason *why) {
    struct profile_header now;
    errno = 0;
    bool is_there = read_header(reading, &now) ? now.begun == reading->header.begun : errno == EOVERFLOW;
    return is_there || reason_set(why, "ended while it was read");
}

/* Names last: whatever has counted has a record by then. */
static bool read_all(struct reading *reading, struct profile_image *image, struct reason *why) {
    reading->start_time = process_start_time(reading->memory.pid);
    if (!remote_root_find(&reading->root, &reading->memory, why) || !check_state(reading, why))
        return false;
    read_header(reading, &reading->header);
    if (!remote_areas_list(&reading->areas, &reading->memory, &reading->root, why))
        return false;
    profile_image_open(image);
    if (!remote_areas_copy(&reading->areas, &reading->memory, image, why))
        return false;
    look_for_changes(reading);
    reading->is_forked = is_forked(reading);
    if (!remote_areas_names(&reading->areas, &reading->memory, &reading->names.writer, why))
        return false;
    remote_names_read(&reading->names, &reading->memory, &reading->root);
    finish(reading, image);
    return is_still_there(reading, why);
}

static bool read_once(struct profile_image *image, unsigned pid, bool *is_calm, struct reason *why) {
    struct reading *reading = memory_zeros(1, sizeof *reading);
    *image = (struct profile_image){.size = 0};
    remote_memory_open(&reading->memory, pid);
    bool is_read = read_all(reading, image, why);
    *is_calm = !reading->is_rearranged && !reading->has_risen;
    remote_names_free(&reading->names);
    remote_areas_free(&reading->areas);
    remote_memory_close(&reading->memory);
    free(reading);
    return is_read;
}

bool remote_profile(struct profile_image *image, unsigned pid, struct reason *why) {
    for (int i = 1;; i++) {
        bool is_calm = false;
        bool is_read = read_once(image, pid, &is_calm, why);
        if (is_read && (is_calm || i == READINGS))
            return true;
        profile_image_free(image);
        if (!is_read)
            return false;
    }
}

/* ---- Having a running process count or not, from outside. */

static bool write_failed(struct reason *why) {
    return reason_set(why, "its memory cannot be written: %s", strerror(errno));
}

/* Whoever set up a thread meanwhile has seen what was written before, as the kernel's copying is a barrier.
 */
static bool send_slow_way(struct remote_memory *memory, const struct remote_root *root, struct reason *why) {
    const uint32_t none = 0;
    struct remote_table threads;
    uint64_t at;
    if (!remote_table_read(&threads, root, memory, root->control.threads))
        return true; /* nobody has counted yet */
    for (uint32_t i = 0; (at = remote_table_at(&threads, i)); i++) {
        uint64_t capacity = at + root->root.layout.thread_capacity;
        uint32_t now;
        if (!remote_read(memory, capacity, &now, sizeof now))
            return reason_set(why, "has more threads than it can have, or they cannot be read");
        if (now && !remote_write(memory, capacity, &none, sizeof none))
            return write_failed(why);
    }
    return true;
}

static bool set_flag(struct remote_memory *memory, const uint8_t *flag, bool value, struct reason *why) {
    const uint8_t byte = value;
    return remote_write(memory, (uintptr_t)flag, &byte, sizeof byte) || write_failed(why);
}

static bool is_set(struct remote_memory *memory, const uint8_t *flag) {
    uint8_t byte;
    return remote_read(memory, (uintptr_t)flag, &byte, sizeof byte) && byte;
}

static bool wait_for_reset(struct remote_memory *memory, const struct remote_root *root, struct reason *why) {
    const struct timespec moment = {.tv_nsec = 10000000};
    enum { MOMENTS = 100 };
    for (int i = 0; i < MOMENTS; i++) {
        if (!is_set(memory, root->control.wants_reset))
            return true;
        nanosleep(&moment, NULL);
    }
    return reason_set(why, "has counted nothing since; when it does its counters start afresh");
}

/* With enabled=0 a program that calls allocsite_start is stopped as well, and any other one passes by the
 * runtime for good. */
static bool is_controllable(struct remote_memory *memory, const struct remote_root *root, enum control what,
                            struct reason *why) {
    const uint8_t *is_enabled = (const uint8_t *)root->start.options + root->root.layout.option_enabled;
    if (!remote_u32(memory, root->start.pid))
        return reason_set(why, "has only just begun");
    if (is_set(memory, is_enabled))
        return true;
    if (!is_set(memory, root->control.is_stopped))
        return reason_set(why, "was started with enabled=0, and its calls go past the runtime for good; "
                               "with stopped=1 it would wait for a start");
    return what == CONTROL_START ? set_flag(memory, is_enabled, true, why)
                                 : reason_set(why, "was started with enabled=0, and counts nothing yet");
}

static bool control(struct remote_memory *memory, enum control what, struct reason *why) {
    struct remote_root root;
    if (!remote_root_find(&root, memory, why) || !is_controllable(memory, &root, what, why))
        return false;
    if (what == CONTROL_START)
        return set_flag(memory, root.control.is_stopped, false, why);
    const uint8_t *flag = what == CONTROL_STOP ? root.control.is_stopped : root.control.wants_reset;
    return set_flag(memory, flag, true, why) && send_slow_way(memory, &root, why) &&
           (what == CONTROL_STOP || wait_for_reset(memory, &root, why));
}

bool control_process(unsigned pid, enum control what, struct reason *why) {
    static struct remote_memory memory;
    remote_memory_open(&memory, pid);
    bool is_done = control(&memory, what, why);
    remote_memory_close(&memory);
    return is_done;
}
