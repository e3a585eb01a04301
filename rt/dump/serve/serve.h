/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Serves a report over HTTP, and reads it again for each request. Only GET is served, and nothing is written.
 * The Host header must be an address: a name could belong to a foreign page (DNS rebinding). */
#ifndef ALLOCSITE_DUMP_SERVE_SERVE_H
#define ALLOCSITE_DUMP_SERVE_SERVE_H

#include "dump/base/terminal.h"
#include "dump/line/symbolize.h"
#include "dump/record/moment.h"

#include <netdb.h>
#include <signal.h>
#include <sys/socket.h>

struct serving {
    const char *path; /* of the report, as for report_source_load */
    uint64_t refresh; /* seconds after which the page of a running program reloads; 0: never */
    uint64_t top;     /* number of sites in metrics; 0: all */
    struct symbolizer symbolizer;
    const struct moment *moment; /* moment of a recording; NULL: not a recording */
    bool takes_openmetrics;      /* of the current request; otherwise the older Prometheus format is
                                  * written */
};

/* Loads libmicrohttpd, without which nothing can be served. False: *why has the reason. */
bool serve_load(struct reason *why);

/* Called after serve_load. Serves at the listening socket, which it closes, until one of the blocked signals
 * arrives. False: *why has the reason. */
bool serve_until(struct serving *, int socket, const sigset_t *signals, struct reason *why);

/* The response for a path, in a memory file. */
struct served {
    int fd; /* -1: no such path */
    const char *type;
    uint64_t refresh;
    struct reason why; /* why there is no report */
};

/* The response for one path. */
struct served serve_path(struct serving *, const char *path);

#endif
