/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Serves a report over HTTP. */
#include "dump/serve/serve.h"

#include "dump/export/export.h"
#include "dump/html/html.h"
#include "dump/load/source.h"
#include "dump/view/view.h"
#include "names/names.h"
#include "write/lines.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- The paths. */

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
    struct samples samples = {.report = report,
                              .by = by,
                              .top = serving->top,
                              .is_now = true,
                              .is_older = !serving->takes_openmetrics};
    samples_make(&samples);
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

static void put_index_row(struct out *out, uint64_t count, const char *profile, const char *description) {
    out_print(out, "<tr><td>%lu</td><td><a href=\"%s\">%s</a></td><td>%s</td></tr>\n", count, profile,
              profile, description);
}

/* The same page as in Go (net/http/pprof). Links are relative, so that a proxy may serve the page below
 * another path.
 */
static void put_index(struct out *out, const struct serving *serving, struct report *report,
                      enum measure by) {
    const struct counters *totals = &report->totals.counters;
    (void)serving, (void)by;
    out_text(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><title>/debug/pprof/</title></head><body>\n"
                  "<h1>/debug/pprof/</h1>\n<p>Profiles for go tool pprof, Parca and Pyroscope:</p>\n"
                  "<table>\n<tr><th>Count</th><th>Profile</th><th></th></tr>\n");
    put_index_row(out, counters_calls(totals), "allocs", "all allocations until now");
    put_index_row(out, totals->live_blocks, "heap", "live blocks, and all allocations");
    out_text(out, "</table>\n<p><a href=\"../../\">The report as a page</a></p>\n</body></html>\n");
}

/* by: the measure that is shown first. */
static const struct place_served {
    const char *path, *type;
    answer_function *write;
    enum measure by;
} places[] = {
    {"/", "text/html; charset=utf-8", put_page, MEASURE_BYTES},
    {"/metrics", "text/plain; version=0.0.4; charset=utf-8", put_metrics, MEASURE_LIVE},
    {"/debug/pprof/", "text/html; charset=utf-8", put_index, MEASURE_LIVE},
    {"/debug/pprof/heap", "application/octet-stream", put_profile, MEASURE_LIVE},
    {"/debug/pprof/allocs", "application/octet-stream", put_profile, MEASURE_BYTES},
};

#define OPENMETRICS "application/openmetrics-text"

static const char *type_of(const struct serving *serving, const struct place_served *place) {
    bool is_openmetrics = place->write == put_metrics && serving->takes_openmetrics;
    return is_openmetrics ? OPENMETRICS "; version=1.0.0; charset=utf-8" : place->type;
}

static const struct place_served *find_place(const char *path) {
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strcmp(places[i].path, path) == 0)
            return &places[i];
    return NULL;
}

static void write_answer(struct served *served, struct serving *serving, const struct report_source *source,
                         const struct place_served *place) {
    struct report *report = source->report;
    static char buffer[1 << 16], directory[PATH_MAX];
    struct report_limits limits = {.sort = (enum report_sort)place->by};
    struct out out;
    report->directory = getcwd(directory, sizeof directory);
    report_source_lines(source, &serving->symbolizer);
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
    const struct place_served *place = find_place(path);
    struct served served = {.fd = -1, .type = type_of(serving, place)};
    struct report_source source;
    profile_threads_are_phases(place && place->write == put_page);
    if (!report_source_load(&source, serving->path, &served.why))
        return served;
    serving->moment = source.is_recording ? &source.moment : NULL;
    write_answer(&served, serving, &source, place);
    report_source_free(&source);
    return served;
}

#ifdef ALLOCSITE_MICROHTTPD

#include <microhttpd.h>

/* ---- Hosts. */

static bool is_address(const char *name) {
    unsigned char address[sizeof(struct in6_addr)];
    return inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1;
}

/* True if the text may follow a host name. */
static bool is_port(const char *suffix) {
    return !*suffix || (*suffix == ':' && !suffix[1 + strspn(suffix + 1, "0123456789")]);
}

/* "[::1]:80", "127.0.0.1:80", "localhost" */
static bool serve_is_host(const char *host) {
    char name[256], host_name[256] = "";
    bool has_brackets = *host == '[';
    size_t length = strcspn(host += has_brackets, has_brackets ? "]" : ":");
    if (length >= sizeof name || (has_brackets && !host[length]) || !is_port(host + length + has_brackets))
        return false;
    memcpy(name, host, length);
    name[length] = '\0';
    gethostname(host_name, sizeof host_name - 1);
    return is_address(name) || strcasecmp(name, "localhost") == 0 ||
           (*host_name && strcasecmp(name, host_name) == 0);
}

/* ---- Requests and responses, with libmicrohttpd. It is loaded on first use, because it depends on
 * cryptography: loading it with the program would take 71% of the instructions of a short exit report. */

#define HTTP_FUNCTIONS(X)                                                                                    \
    X(add_response_header)                                                                                   \
    X(create_response_from_buffer)                                                                           \
    X(create_response_from_fd)                                                                               \
    X(destroy_response)                                                                                      \
    X(lookup_connection_value)                                                                               \
    X(queue_response)                                                                                        \
    X(start_daemon)                                                                                          \
    X(stop_daemon)

#define HTTP_POINTER(name) static __typeof__(MHD_##name) *http_##name;
HTTP_FUNCTIONS(HTTP_POINTER)

bool serve_load(struct reason *why) {
    void *library = dlopen(ALLOCSITE_MICROHTTPD, RTLD_NOW | RTLD_LOCAL);
#define HTTP_FIND(name)                                                                                      \
    http_##name = library ? (__typeof__(http_##name))dlsym(library, "MHD_" #name) : NULL;                    \
    if (!http_##name)                                                                                        \
        return reason_set(why, "%s", dlerror());
    HTTP_FUNCTIONS(HTTP_FIND)
    return true;
}

static struct MHD_Response *text_response(const char *text) {
    struct MHD_Response *response =
        http_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
    http_add_response_header(response, "Content-Type", "text/plain; charset=utf-8");
    return response;
}

/* Other sites may neither frame nor read the response. */
static enum MHD_Result send_response(struct MHD_Connection *connection, unsigned status,
                                     struct MHD_Response *response) {
    http_add_response_header(response, "Cache-Control", "no-store");
    http_add_response_header(response, "X-Content-Type-Options", "nosniff");
    http_add_response_header(response, "X-Frame-Options", "DENY");
    http_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    enum MHD_Result result = http_queue_response(connection, status, response);
    http_destroy_response(response);
    return result;
}

static struct MHD_Response *response_of(const struct served *served) {
    char refresh[24];
    struct stat status;
    fstat(served->fd, &status);
    struct MHD_Response *response = http_create_response_from_fd((uint64_t)status.st_size, served->fd);
    http_add_response_header(response, "Content-Type", served->type);
    snprintf(refresh, sizeof refresh, "%" PRIu64, served->refresh);
    if (served->refresh)
        http_add_response_header(response, "Refresh", refresh);
    return response;
}

static enum MHD_Result refuse_method(struct MHD_Connection *connection) {
    struct MHD_Response *response = text_response("nothing but GET\n");
    http_add_response_header(response, "Allow", "GET");
    return send_response(connection, MHD_HTTP_METHOD_NOT_ALLOWED, response);
}

static enum MHD_Result serve_answer(void *context, struct MHD_Connection *connection, const char *path,
                                    const char *method, const char *version, const char *upload,
                                    size_t *upload_size, void **state) {
    const char *host = http_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    (void)version, (void)upload, (void)upload_size, (void)state;
    if (strcmp(method, "GET") != 0)
        return refuse_method(connection);
    if (!host || !serve_is_host(host))
        return send_response(connection, MHD_HTTP_FORBIDDEN, text_response("use an address or localhost\n"));
    if (!find_place(path))
        return send_response(
            connection, MHD_HTTP_NOT_FOUND,
            text_response("/ /metrics /debug/pprof/ /debug/pprof/heap /debug/pprof/allocs\n"));
    struct serving *serving = context;
    const char *accept = http_lookup_connection_value(connection, MHD_HEADER_KIND, "Accept");
    serving->takes_openmetrics = accept && strstr(accept, OPENMETRICS);
    struct served served = serve_path(serving, path);
    if (served.fd >= 0)
        return send_response(connection, MHD_HTTP_OK, response_of(&served));
    return send_response(connection, MHD_HTTP_SERVICE_UNAVAILABLE, text_response(served.why.text));
}

/* Leaves escapes in the path: no valid path needs one, and an unescaped NUL could end a longer path early. */
static size_t keep_escapes(void *context, struct MHD_Connection *connection, char *text) {
    (void)context, (void)connection;
    return strlen(text);
}

/* Limit of simultaneous connections, derived from the limit of descriptors minus those that answers need. A
 * client that sends half a request occupies a connection until it times out, so there are many more than
 * clients, and one address cannot take all of them. */
enum { CONNECTIONS_MOST = 4096, CONNECTIONS_LEAST = 16, DESCRIPTORS_OF_ANSWERS = 200, SECONDS = 10 };

static unsigned connections_most(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return CONNECTIONS_LEAST;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur < DESCRIPTORS_OF_ANSWERS + CONNECTIONS_LEAST)
        return CONNECTIONS_LEAST;
    rlim_t left = limit.rlim_cur - DESCRIPTORS_OF_ANSWERS;
    return left < CONNECTIONS_MOST ? (unsigned)left : CONNECTIONS_MOST;
}

/* One thread answers all requests in order. It uses epoll, because select fails for descriptors from 1,024
 * on. */
bool serve_until(struct serving *serving, int socket, const sigset_t *signals, struct reason *why) {
    unsigned most = connections_most();
    int number;
    struct MHD_Daemon *daemon = http_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, serve_answer, serving, MHD_OPTION_LISTEN_SOCKET, socket,
        MHD_OPTION_CONNECTION_LIMIT, most, MHD_OPTION_PER_IP_CONNECTION_LIMIT, most - most / 4,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SECONDS, MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL,
        MHD_OPTION_END);
    if (!daemon)
        return reason_errno(why);
    sigwait(signals, &number);
    http_stop_daemon(daemon);
    return true;
}

#else

bool serve_load(struct reason *why) {
    return reason_set(why, "this allocsite-dump was built without libmicrohttpd");
}

bool serve_until(struct serving *serving, int socket, const sigset_t *signals, struct reason *why) {
    (void)serving, (void)socket, (void)signals;
    return serve_load(why);
}

#endif
