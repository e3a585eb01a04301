/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads debug information in a child process. */
#include "dump/debug/child.h"

#include "dump/base/memory.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* AddressSanitizer reserves terabytes of address space. */
#ifdef __SANITIZE_ADDRESS__
#define MOST_MEMORY RLIM_INFINITY
#else
#define MOST_MEMORY ((rlim_t)16 << 30)
#endif

/* The child leaves no core file, and its CPU time and memory are limited. */
static void child_limit(void) {
    static const struct rlimit seconds = {600, 600}, memory = {MOST_MEMORY, MOST_MEMORY};
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_AS, &memory);
}

/* Returns 0 in the child; -1: *why says why fork failed. */
static pid_t start_child(struct reason *why) {
    pid_t child = fork();
    if (child == 0) {
        memory_exit = _exit;
        child_limit();
    }
    if (child < 0)
        reason_errno(why);
    return child;
}

static int end_child(pid_t child, struct reason *why) {
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) {
            reason_errno(why);
            return -1;
        }
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    reason_set(why, "libdwarf failed on its debug information (%s)", strsignal(WTERMSIG(status)));
    return -1;
}

int debug_child(int (*work)(void *context), void *context, struct reason *why) {
    pid_t child = start_child(why);
    if (child == 0)
        _exit(work(context));
    return child < 0 ? -1 : end_child(child, why);
}

/* ---- Reading debug information in a child process.
 *
 * The child writes to a pipe: for each address struct message, for each of its locations struct
 * message_place, and then their names, each with its NUL. The child may be corrupted, so the parent validates
 * everything. */

enum { NAME_MAX_SIZE = 1 << 20, PLACES_MAX = 1000 };

struct message {
    uint64_t index; /* of the address; END: the final message with a reason */
    uint64_t count; /* number of locations */
    uint64_t size;  /* bytes of all names, or of the reason */
};

#define END UINT64_MAX

struct message_place {
    uint32_t line, column, start;
    uint32_t function, file; /* sizes of names; 0: NULL */
};

/* Runs in the child. */

static uint32_t size_of(const char *name) {
    return name ? (uint32_t)strnlen(name, NAME_MAX_SIZE - 1) + 1 : 0;
}

static void put_name(FILE *to, const char *name) {
    if (!name)
        return;
    fwrite(name, 1, size_of(name) - 1, to);
    putc('\0', to);
}

static void put_found(void *context, size_t index, const struct debug_place *places, size_t count) {
    FILE *to = context;
    struct message message = {.index = index, .count = count < PLACES_MAX ? count : PLACES_MAX};
    for (size_t i = 0; i < message.count; i++)
        message.size += size_of(places[i].at.function) + size_of(places[i].at.file);
    fwrite(&message, sizeof message, 1, to);
    for (size_t i = 0; i < message.count; i++) {
        const struct place *at = &places[i].at;
        struct message_place place = {at->line, at->column, places[i].start, size_of(at->function),
                                      size_of(at->file)};
        fwrite(&place, sizeof place, 1, to);
    }
    for (size_t i = 0; i < message.count; i++) {
        put_name(to, places[i].at.function);
        put_name(to, places[i].at.file);
    }
}

/* SIGALRM ends this process. */
static void limit_time(unsigned milliseconds) {
    const struct itimerval left = {
        .it_value = {.tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000}};
    signal(SIGALRM, SIG_DFL);
    setitimer(ITIMER_REAL, &left, NULL);
}

static void look_up_here(int fd, const struct debug_files *files, const uint64_t *addresses, size_t count) {
    struct reason why = {""};
    if (files->milliseconds)
        limit_time(files->milliseconds);
    FILE *to = fdopen(fd, "w");
    if (!to)
        _exit(1);
    if (debug_lookup(files, addresses, count, put_found, to, &why))
        why.text[0] = '\0';
    struct message end = {.index = END, .size = strlen(why.text)};
    fwrite(&end, sizeof end, 1, to);
    fwrite(why.text, 1, end.size, to);
    _exit(fclose(to) == 0 ? 0 : 1);
}

/* State of the parent. */

struct listener {
    FILE *from;
    size_t addresses;
    debug_found *found;
    void *context;
};

static bool get_bytes(struct listener *listener, void *to, size_t size) {
    return fread(to, 1, size, listener->from) == size;
}

/* Takes the next name; *left is the number of bytes that remain. */
static const char *take_name(char **names, uint64_t *left, uint32_t size) {
    char *name = *names;
    if (!size || size > *left)
        return NULL;
    name[size - 1] = '\0';
    *names += size;
    *left -= size;
    return name;
}

static bool get_places(struct listener *listener, const struct message *message, char *names) {
    struct message_place places[PLACES_MAX];
    struct debug_place found[PLACES_MAX];
    uint64_t left = message->size;
    if (!get_bytes(listener, places, message->count * sizeof *places) ||
        !get_bytes(listener, names, message->size))
        return false;
    for (size_t i = 0; i < message->count; i++) {
        found[i] =
            (struct debug_place){{.line = places[i].line, .column = places[i].column}, places[i].start};
        found[i].at.function = take_name(&names, &left, places[i].function);
        found[i].at.file = take_name(&names, &left, places[i].file);
    }
    listener->found(listener->context, message->index, found, message->count);
    return true;
}

static bool get_found(struct listener *listener, const struct message *message) {
    if (message->index >= listener->addresses || !message->count || message->count > PLACES_MAX ||
        message->size > message->count * 2 * NAME_MAX_SIZE)
        return false;
    char *names = memory_zeros(message->size, 1);
    bool is_got = get_places(listener, message, names);
    free(names);
    return is_got;
}

/* False: the child ended without a final message. */
static bool receive_messages(struct listener *listener, struct reason *why) {
    struct message message;
    while (get_bytes(listener, &message, sizeof message)) {
        if (message.index == END) {
            bool is_read = message.size < sizeof why->text && get_bytes(listener, why->text, message.size);
            why->text[is_read ? message.size : 0] = '\0';
            return is_read;
        }
        if (!get_found(listener, &message))
            return false;
    }
    return false;
}

static bool receive_results(struct listener *listener, pid_t child, struct reason *why) {
    struct reason of_child;
    bool has_ended = receive_messages(listener, why);
    fclose(listener->from);
    int status = end_child(child, &of_child);
    if (!has_ended)
        return reason_set(why, "%s", status < 0 ? of_child.text : "libdwarf failed on its debug information");
    return !why->text[0];
}

bool symbol_child_lookup(const struct debug_files *files, const uint64_t *addresses, size_t count,
                         debug_found *found, void *context, struct reason *why) {
    struct listener listener = {.addresses = count, .found = found, .context = context};
    int ends[2];
    if (pipe(ends) != 0)
        return reason_errno(why);
    pid_t child = start_child(why);
    if (child == 0) {
        close(ends[0]);
        look_up_here(ends[1], files, addresses, count);
    }
    close(ends[1]);
    listener.from = child < 0 ? NULL : fdopen(ends[0], "r");
    if (listener.from)
        return receive_results(&listener, child, why);
    close(ends[0]);
    return child > 0 && end_child(child, why) >= 0 && reason_set(why, "out of memory");
}
