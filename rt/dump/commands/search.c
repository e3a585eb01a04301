/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump search: searches the heap of the process that starts it. The runtime starts it, and one of
 * the process's threads waits (lib/report/look.c).
 *
 *   allocsite-dump search PID THREAD CALLER WHAT < COUNTERS 3> ANSWER
 *
 *   WHAT       answer
 *   graph      none; standard output has a snapshot
 *   leaked     struct root_leaked for each slot
 *   resident   uint64_t bytes of each part of the resident memory
 *   ADDRESS    uint64_t bytes reachable from a block
 *
 * CALLER and ADDRESS are hexadecimal; CALLER is the address of a struct root_caller in the process. If the
 * search fails, the answer is the reason as text, and the exit status is STATUS_NOT_WRITTEN. */
#include "dump/base/files.h"
#include "dump/capture/resident.h"
#include "dump/commands/report.h"
#include "dump/graph/graph.h"
#include "dump/process/process.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ANSWER = 3 };

static int search_graph(const struct capture_target *target, struct reason *why) {
    struct graph graph;
    if (!capture_graph(&graph, target, why))
        return STATUS_NOT_WRITTEN;
    graph_write(standard_out(), &graph);
    graph_free(&graph);
    int status = standard_out_end();
    reason_set(why, "it cannot be written");
    return status == STATUS_DONE ? status : STATUS_NOT_WRITTEN;
}

static bool answer_request(const void *bytes, size_t size) {
    for (ssize_t written; size; bytes = (const char *)bytes + written, size -= (size_t)written)
        if ((written = write(ANSWER, bytes, size)) <= 0)
            return false;
    return true;
}

static int search_leaked(struct capture_target *target, struct reason *why) {
    struct root_leaked *list;
    size_t count;
    target->is_ending = true;
    if (!capture_leaked(target, &list, &count, why))
        return STATUS_NOT_WRITTEN;
    bool is_answered = answer_request(list, count * sizeof *list);
    free(list);
    return is_answered ? STATUS_DONE : STATUS_USAGE;
}

static int search_from(const struct capture_target *target, const char *address, struct reason *why) {
    uint64_t bytes;
    if (!capture_deep_size(target, strtoull(address, NULL, 16), &bytes, why))
        return STATUS_NOT_WRITTEN;
    return answer_request(&bytes, sizeof bytes) ? STATUS_DONE : STATUS_USAGE;
}

static int search_resident(struct capture_target *target, struct reason *why) {
    struct resident resident = {.map_count = 0};
    target->resident = &resident;
    int status = STATUS_NOT_WRITTEN;
    if (capture_resident(target, why))
        status = answer_request(resident.parts, sizeof resident.parts) ? STATUS_DONE : STATUS_USAGE;
    resident_free(&resident);
    return status;
}

static int search_heap(struct capture_target *target, const char *what, struct reason *why) {
    if (strcmp(what, "graph") == 0)
        return search_graph(target, why);
    if (strcmp(what, "resident") == 0)
        return search_resident(target, why);
    return strcmp(what, "leaked") == 0 ? search_leaked(target, why) : search_from(target, what, why);
}

int command_search(int count, char **words) {
    struct reason why;
    sigset_t none;
    sigemptyset(&none);
    signal(SIGXFSZ, SIG_IGN);
    sigprocmask(SIG_SETMASK, &none, NULL); /* the runtime blocked all signals until here */
    if (count != 5)
        return STATUS_USAGE;
    process_prefer_oom_kill((uint64_t)getpid());
    struct capture_target target = {.pid = (unsigned)strtoul(words[1], NULL, 10),
                                    .thread = (unsigned)strtoul(words[2], NULL, 10),
                                    .caller = strtoull(words[3], NULL, 16)};
    int status = search_heap(&target, words[4], &why);
    return status == STATUS_NOT_WRITTEN && !answer_request(why.text, strlen(why.text)) ? STATUS_USAGE
                                                                                       : status;
}
