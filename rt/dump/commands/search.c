/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump search: started by the runtime to search the heap of its process, of which a thread waits
 * for us (lib/tell/look.c).
 *
 *   allocsite-dump search PID CALLER graph < COUNTERS > SNAPSHOT 3> ANSWER
 *
 * CALLER: address of a struct root_caller there, in hexadecimal digits. The answer is why the search has
 * failed. */
#include "dump/base/files.h"
#include "dump/capture/capture.h"
#include "dump/commands/report.h"
#include "dump/graph/graph.h"

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

int command_search(int count, char **words) {
    struct reason why;
    struct capture_target target = {.pid = 0};
    sigset_t none;
    sigemptyset(&none);
    signal(SIGXFSZ, SIG_IGN);
    sigprocmask(SIG_SETMASK, &none, NULL); /* the runtime has blocked all until here */
    if (count != 4)
        return STATUS_USAGE;
    target.pid = (unsigned)strtoul(words[1], NULL, 10);
    target.caller = strtoull(words[2], NULL, 16);
    int status = strcmp(words[3], "graph") == 0 ? search_graph(&target, &why) : STATUS_USAGE;
    if (status == STATUS_NOT_WRITTEN && write(ANSWER, why.text, strlen(why.text)) < 0)
        return STATUS_USAGE;
    return status;
}
