/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Having a running process count or not, from outside. */
#include "dump/process/process.h"

#include "dump/process/memory.h"

#include <errno.h>
#include <string.h>
#include <time.h>

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
