/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What there is at each path. */
#include "dump/export/export.h"
#include "dump/html/html.h"
#include "dump/load/source.h"
#include "dump/serve/serve.h"
#include "dump/view/rows.h"
#include "write/line.h"

#include <arpa/inet.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

typedef void answer_function(struct out *, const struct serving *, struct report *, enum measure);

static void put_page(struct out *out, const struct serving *serving, struct report *report, enum measure by) {
    const struct report_limits everything = {.top = 0};
    struct groups threads = {.by = BY_THREAD}, phases = {.by = BY_PHASE};
    (void)by;
    line_directory(report);
    groups_add_parts(&threads, report);
    groups_add_parts(&phases, report);
    groups_prepare(&threads, &everything);
    groups_prepare(&phases, &everything);
    html_write(out, &(struct html){.report = report,
                                   .moment = serving->moment,
                                   .symbolizer = &serving->symbolizer,
                                   .threads = report->has_parts ? &threads : NULL,
                                   .phases = report->has_parts ? &phases : NULL});
    groups_free(&threads);
    groups_free(&phases);
}

static void put_samples(struct out *out, const struct serving *serving, struct report *report,
                        enum measure by, const char *format) {
    struct samples samples = {.report = report, .by = by, .top = serving->top, .is_now = true};
    samples_make(&samples, &serving->symbolizer);
    export_named(format)->write(out, &samples);
    samples_free(&samples);
}

static void put_profile(struct out *out, const struct serving *serving, struct report *report,
                        enum measure by) {
    put_samples(out, serving, report, by, "pprof");
}

static void put_metrics(struct out *out, const struct serving *serving, struct report *report,
                        enum measure by) {
    put_samples(out, serving, report, by, "openmetrics");
}

/* The measure is what is looked at first. */
static const struct place_served {
    const char *path, *type;
    answer_function *write;
    enum measure by;
} places[] = {
    {"/", "text/html; charset=utf-8", put_page, MEASURE_BYTES},
    {"/metrics", "application/openmetrics-text; version=1.0.0; charset=utf-8", put_metrics, MEASURE_LIVE},
    {"/debug/pprof/heap", "application/octet-stream", put_profile, MEASURE_LIVE},
    {"/debug/pprof/allocs", "application/octet-stream", put_profile, MEASURE_BYTES},
};

static const struct place_served *find(const char *path) {
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strcmp(places[i].path, path) == 0)
            return &places[i];
    return NULL;
}

bool serve_has(const char *path) {
    return find(path) != NULL;
}

static void write_answer(struct served *served, struct serving *serving, struct report *report,
                         const struct place_served *place) {
    static char buffer[1 << 16], directory[PATH_MAX];
    struct report_limits limits = {.sort = (enum report_sort)place->by};
    struct out out;
    report->directory = getcwd(directory, sizeof directory);
    symbolize_report(&serving->symbolizer, report);
    report_prepare(report, &limits);
    served->fd = memfd_create("answer", MFD_CLOEXEC);
    out_open(&out, served->fd, buffer, sizeof buffer);
    place->write(&out, serving, report, place->by);
    out_flush(&out);
    served->refresh = place->write == put_page && report->running ? serving->refresh : 0;
    if (!out.error)
        return;
    close(served->fd);
    served->fd = -1;
    reason_set(&served->why, "%s", strerror(out.error));
}

struct served serve_path(struct serving *serving, const char *path) {
    const struct place_served *place = find(path);
    struct served served = {.fd = -1, .type = place->type};
    struct report_source source;
    if (!report_source_load(&source, serving->path, &served.why))
        return served;
    serving->moment = source.is_recording ? &source.moment : NULL;
    write_answer(&served, serving, source.report, place);
    report_source_free(&source);
    return served;
}

/* ---- Hosts. */

static bool is_address(const char *name) {
    unsigned char address[sizeof(struct in6_addr)];
    return inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1;
}

/* What may stand behind the name. */
static bool is_port(const char *rest) {
    return !*rest || (*rest == ':' && !rest[1 + strspn(rest + 1, "0123456789")]);
}

/* "[::1]:80", "127.0.0.1:80", "localhost" */
bool serve_is_host(const char *host) {
    char name[256], own[256] = "";
    bool has_brackets = *host == '[';
    size_t length = strcspn(host += has_brackets, has_brackets ? "]" : ":");
    if (length >= sizeof name || (has_brackets && !host[length]) || !is_port(host + length + has_brackets))
        return false;
    memcpy(name, host, length);
    name[length] = '\0';
    gethostname(own, sizeof own - 1);
    return is_address(name) || strcasecmp(name, "localhost") == 0 || (*own && strcasecmp(name, own) == 0);
}
