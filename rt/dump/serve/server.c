/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Requests and responses, by libmicrohttpd. */
#include "dump/serve/serve.h"

#include <microhttpd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

const bool serve_is_there = true;

static struct MHD_Response *text_response(const char *text) {
    struct MHD_Response *response =
        MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
    MHD_add_response_header(response, "Content-Type", "text/plain; charset=utf-8");
    return response;
}

/* Pages of others may neither frame nor read it. */
static enum MHD_Result send_response(struct MHD_Connection *connection, unsigned status,
                                     struct MHD_Response *response) {
    MHD_add_response_header(response, "Cache-Control", "no-store");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "X-Frame-Options", "DENY");
    MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static struct MHD_Response *response_of(const struct served *served) {
    char refresh[16];
    struct stat status;
    fstat(served->fd, &status);
    struct MHD_Response *response = MHD_create_response_from_fd((uint64_t)status.st_size, served->fd);
    MHD_add_response_header(response, "Content-Type", served->type);
    snprintf(refresh, sizeof refresh, "%u", served->refresh);
    if (served->refresh)
        MHD_add_response_header(response, "Refresh", refresh);
    return response;
}

static enum MHD_Result refuse_method(struct MHD_Connection *connection) {
    struct MHD_Response *response = text_response("nothing but GET\n");
    MHD_add_response_header(response, "Allow", "GET");
    return send_response(connection, MHD_HTTP_METHOD_NOT_ALLOWED, response);
}

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **state) {
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    (void)version, (void)upload, (void)upload_size, (void)state;
    if (strcmp(method, "GET") != 0)
        return refuse_method(connection);
    if (!host || !serve_is_host(host))
        return send_response(connection, MHD_HTTP_FORBIDDEN,
                             text_response("only by an address or as localhost\n"));
    if (!serve_has(path))
        return send_response(connection, MHD_HTTP_NOT_FOUND,
                             text_response("/ /metrics /debug/pprof/heap /debug/pprof/allocs\n"));
    struct served served = serve_path(context, path);
    if (served.fd >= 0)
        return send_response(connection, MHD_HTTP_OK, response_of(&served));
    return send_response(connection, MHD_HTTP_SERVICE_UNAVAILABLE, text_response(served.why.text));
}

/* The paths that there are need no escapes, and one that is undone could end a longer path early. */
static size_t keep_escapes(void *context, struct MHD_Connection *connection, char *text) {
    (void)context, (void)connection;
    return strlen(text);
}

/* One thread answers all, one after the other. */
bool serve_until(struct serving *serving, int socket, const sigset_t *signals, struct reason *why) {
    enum { CONNECTIONS = 32, SECONDS = 20 };
    int number;
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, answer, serving, MHD_OPTION_LISTEN_SOCKET, socket,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SECONDS,
        MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL, MHD_OPTION_END);
    if (!daemon)
        return reason_errno(why);
    sigwait(signals, &number);
    MHD_stop_daemon(daemon);
    return true;
}
