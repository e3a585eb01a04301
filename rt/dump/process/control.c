/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Starts, stops and resets counting in a running process. */
#include "dump/process/process.h"

#include "dump/base/files.h"
#include "dump/process/memory.h"
#include "dump/profile/areas.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* At least the kernel's PID_MAX_LIMIT. */
enum { THREADS_MOST = 1 << 22 };

static bool write_failed(struct reason *why) {
    return reason_set(why, "its memory cannot be written: %s", strerror(errno));
}

/* Sets every thread's capacity to 0. A thread that sets its capacity concurrently either sees the request or
 * is seen here: the request was set by an atomic operation, which is a barrier. */
static bool turn_away_all(struct remote_memory *memory, const struct profile_areas *areas,
                          struct reason *why) {
    const uint32_t none = 0;
    for (uint32_t i = 0; i < THREADS_MOST; i++) {
        const unsigned char *entry = profile_element(areas, PROFILE_SWITCHES, i);
        uint64_t address = entry ? profile_load(entry) : 0;
        uint32_t now = 0;
        if (!entry)
            return true;
        bool is_there = address && remote_read(memory, address, &now, sizeof now);
        if (address && !is_there && errno != EFAULT)
            return write_failed(why);
        if (now && !remote_write(memory, address, &none, sizeof none))
            return write_failed(why);
    }
    return true;
}

static bool turn_away(unsigned pid, int fd, struct reason *why) {
    static struct remote_memory memory;
    struct profile_areas areas;
    struct file_map map;
    struct stat status;
    if (fstat(fd, &status) != 0)
        return reason_errno(why);
    if (!file_map_descriptor(&map, fd, (size_t)status.st_size, why))
        return false;
    struct extents extents = extents_of_file(fd, map.size);
    bool is_done = profile_areas_open(&areas, map.bytes, map.size, &extents, why);
    if (is_done) {
        remote_memory_open(&memory, pid);
        is_done = turn_away_all(&memory, &areas, why);
        remote_memory_close(&memory);
        profile_areas_close(&areas);
    }
    extents_free(&extents);
    struct reason unimportant;
    file_unmap(&map, &unimportant);
    return is_done;
}

static uint32_t requests_of(const struct profile_header *header) {
    return __atomic_load_n(&header->requests, __ATOMIC_ACQUIRE);
}

/* A start and a stop replace each other. */
static void set_request(struct profile_header *header, uint32_t set, uint32_t replaced) {
    uint32_t now = requests_of(header);
    while (!__atomic_compare_exchange_n(&header->requests, &now, (now & ~replaced) | set, false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        ;
}

static void take_back(struct profile_header *header, uint32_t set) {
    __atomic_fetch_and(&header->requests, ~set, __ATOMIC_SEQ_CST);
}

static bool is_reset(const struct profile_header *header) {
    return !(requests_of(header) & PROFILE_RESET) &&
           __atomic_load_n(&header->resets, __ATOMIC_ACQUIRE) % 2 == 0;
}

static bool wait_for_reset(const struct profile_header *header, struct reason *why) {
    const struct timespec moment = {.tv_nsec = 10000000};
    enum { MOMENTS = 100 };
    for (int i = 0; i < MOMENTS; i++) {
        if (is_reset(header))
            return true;
        nanosleep(&moment, NULL);
    }
    return reason_set(why, "has counted nothing since; its counters will be reset at its next event");
}

/* If the program counts nothing, no thread is on the hot path. */
static bool request_control(struct profile_header *header, enum control what, unsigned pid, int fd,
                            struct reason *why) {
    static const uint32_t requests[] = {
        [CONTROL_START] = PROFILE_START, [CONTROL_STOP] = PROFILE_STOP, [CONTROL_RESET] = PROFILE_RESET};
    bool is_reset = what == CONTROL_RESET;
    if (what != CONTROL_START && header->flags & PROFILE_IS_ASLEEP)
        return reason_set(why, "was started with enabled=0, and counts nothing yet");
    set_request(header, requests[what], is_reset ? 0 : PROFILE_START | PROFILE_STOP);
    if (what == CONTROL_START)
        return true;
    if (turn_away(pid, fd, why))
        return !is_reset || wait_for_reset(header, why);
    take_back(header, requests[what]);
    return false;
}

bool control_process(unsigned pid, enum control what, struct reason *why) {
    struct process_counters counters;
    if (!process_counters_open(&counters, pid, true, why))
        return false;
    struct profile_header *header =
        mmap(NULL, PROFILE_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, counters.fd, 0);
    bool is_done =
        header != MAP_FAILED ? request_control(header, what, pid, counters.fd, why) : reason_errno(why);
    if (header != MAP_FAILED)
        munmap(header, PROFILE_PAGE);
    close(counters.fd);
    return is_done;
}
