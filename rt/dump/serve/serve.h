/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report over HTTP: read anew for each request. Nothing but GET, nothing is written, and only those are
 * answered who ask for an address: a name that leads here may be one of a page that is none of ours (DNS
 * rebinding). */
#ifndef ALLOCSITE_DUMP_SERVE_SERVE_H
#define ALLOCSITE_DUMP_SERVE_SERVE_H

#include "dump/base/terminal.h"
#include "dump/line/symbolize.h"
#include "dump/record/moment.h"

#include <netdb.h>
#include <signal.h>
#include <sys/socket.h>

struct serving {
    const char *path; /* of the report, as report_source_load takes it */
    uint64_t refresh; /* seconds, after which a page of a running program is asked for again; 0: never */
    uint64_t top;     /* sites that metrics tell of; 0: all */
    struct symbolizer symbolizer;
    const struct moment *moment; /* of the report that is written; NULL: it is of no recording */
    bool takes_openmetrics;      /* the client of this request; else Prometheus' older format is written */
};

/* Whether this allocsite-dump can. */
extern const bool serve_is_there;

/* Answers at the socket, which listens and is closed in the end, until one of the signals comes, which are
 * blocked. False: *why says why. */
bool serve_until(struct serving *, int socket, const sigset_t *signals, struct reason *why);

/* What there is at a path, written to a file in memory. */
struct served {
    int fd; /* -1: none */
    const char *type;
    uint64_t refresh;
    struct reason why; /* there is none of the report */
};

/* The answer at one of them. */
struct served serve_path(struct serving *, const char *path);

#endif
