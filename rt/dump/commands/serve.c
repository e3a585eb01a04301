/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump serve: serves a report over HTTP. */
#include "dump/serve/serve.h"
#include "base/words.h"
#include "dump/commands/commands.h"
#include "dump/load/source.h"

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: allocsite-dump serve [OPTION...] PID|FILE\n"
    "\n"
    "Answers HTTP requests with the report of a process or a file, until Ctrl-C. Each\n"
    "answer has the counts of that moment. The server only reads.\n"
    "\n"
    "  /                     the page of report --format=html, which follows a\n"
    "                        running program\n"
    "  /metrics              for Prometheus\n"
    "  /debug/pprof/         links to the next two, as Go's net/http/pprof has it\n"
    "  /debug/pprof/heap, /debug/pprof/allocs\n"
    "                        for go tool pprof\n"
    "\n"
    "  --listen=ADDRESS:PORT   (default: 127.0.0.1:8642; port 0: any free port)\n"
    "  --refresh=SECONDS       of the page (0: never; default: 5)\n"
    "  --top=N                 sites with a time series each (0: all; default: 100)\n" HELP_OF_LINE
    "  --debug-dir=DIRECTORY   separate debug files (default: /usr/lib/debug)\n"
    "  --sysroot=DIRECTORY     a copy of the system that the program ran on\n"
    "\n"
    "examples:\n"
    "  ./app & allocsite-dump serve $!\n"
    "  go tool pprof -top http://127.0.0.1:8642/debug/pprof/heap\n"
    "  curl -s http://127.0.0.1:8642/metrics";

/* ---- The socket. */

/* "127.0.0.1:80", "[::1]:80", "localhost:80" or "80". Other names are refused, since a name may have several
 * addresses. */
static bool split_address(const char *listen, char host[INET6_ADDRSTRLEN], const char **port) {
    const char *colon = strrchr(listen, ':');
    bool has_brackets = *listen == '[' && colon && colon[-1] == ']';
    size_t length = colon ? (size_t)(colon - listen) - 2 * has_brackets : 0;
    *port = colon ? colon + 1 : listen;
    if (length >= INET6_ADDRSTRLEN)
        return false;
    memcpy(host, listen + has_brackets, length);
    host[length] = '\0';
    if (!length || strcmp(host, "localhost") == 0)
        strcpy(host, "127.0.0.1");
    return true;
}

static struct addrinfo *address_of(const char *listen) {
    const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
                                   .ai_socktype = SOCK_STREAM};
    struct addrinfo *found;
    char host[INET6_ADDRSTRLEN];
    const char *port;
    uint64_t number;
    bool is_found = split_address(listen, host, &port) && !amount_read_all(port, false, &number) &&
                    number <= UINT16_MAX && getaddrinfo(host, port, &hints, &found) == 0;
    return is_found ? found : NULL;
}

/* -1: errno has the error. */
static int listen_at(const struct addrinfo *address) {
    const int yes = 1;
    int fd = socket(address->ai_family, address->ai_socktype | SOCK_CLOEXEC, 0);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (fd >= 0 && bind(fd, address->ai_addr, address->ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0)
        return fd;
    int error = errno;
    if (fd >= 0)
        close(fd);
    errno = error;
    return -1;
}

/* Prints the address with the port that the kernel chose. */
static void print_address(int fd) {
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    char host[INET6_ADDRSTRLEN], port[8];
    getsockname(fd, (struct sockaddr *)&address, &size);
    getnameinfo((struct sockaddr *)&address, size, host, sizeof host, port, sizeof port,
                NI_NUMERICHOST | NI_NUMERICSERV);
    bool has_colons = strchr(host, ':') != NULL;
    printf("http://%s%s%s:%s/\n", has_colons ? "[" : "", host, has_colons ? "]" : "", port);
    fflush(stdout);
}

/* ---- The command. */

static int serve_until_signal(struct serving *serving, int fd) {
    sigset_t signals;
    struct reason why;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    print_address(fd);
    return serve_until(serving, fd, &signals, &why) ? STATUS_DONE : complain_file(NULL, "%s", why.text);
}

/* Reads the report once before serving, so that an error is reported at once. */
static int serve_at(struct serving *serving, const char *name, const char *listen) {
    struct addrinfo *address = address_of(listen);
    struct served served = {.fd = -1};
    if (!address)
        return complain_value("serve", "listen", listen, "an address and a port, as 127.0.0.1:8642");
    int fd = listen_at(address);
    freeaddrinfo(address);
    if (fd < 0)
        return complain_file(listen, "%s", strerror(errno));
    served = serve_path(serving, "/metrics");
    close(served.fd);
    if (served.fd < 0)
        return close(fd), complain_file(name, "%s", served.why.text);
    return serve_until_signal(serving, fd);
}

struct serve_options {
    struct serving serving;
    const char *listen;
};

static const char *take_bounded(void *to, const char *value) {
    return take_number(to, value) || *(uint64_t *)to > 1000000 ? "a number" : NULL;
}

#define AT(member) offsetof(struct serve_options, member)
static const struct argument list[] = {
    {"listen", true, take_text, AT(listen)},
    {"refresh", true, take_bounded, AT(serving.refresh)},
    {"top", true, take_bounded, AT(serving.top)},
    ARGUMENTS_OF_LINE(AT(serving.symbolizer.line)),
    {"debug-dir", true, take_text, AT(serving.symbolizer.search.debug_directory)},
    {"sysroot", true, take_text, AT(serving.symbolizer.search.sysroot)},
    {0},
};

int command_serve(int count, char **arguments) {
    struct serve_options options = {.listen = "127.0.0.1:8642",
                                    .serving = {.refresh = 5, .top = 100, .symbolizer = {.is_quiet = true}}};
    struct serving *serving = &options.serving;
    struct reason why;
    int status = arguments_take(&(struct arguments){"serve", help, list}, &options, count, arguments);
    if (status != ARGUMENTS_TAKEN)
        return status;
    if (count - optind != 1)
        return complain_usage("serve: %s", optind == count ? "no process and no file" : "more than one file");
    if (!serve_load(&why))
        return complain_file(NULL, "serve: %s", why.text);
    serving->path = arguments[optind];
    status = serve_at(serving, arguments[optind], options.listen);
    symbolizer_free(&serving->symbolizer);
    return status;
}
