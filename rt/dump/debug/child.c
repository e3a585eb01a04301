/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A process of its own for reading debug information. */
#include "dump/debug/child.h"

#include "base/grow.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* If it dies it leaves no core file, if it does not end it is stopped, and it does not get all memory. */
static void limit(void) {
    static const struct rlimit seconds = {600, 600}, memory = {(rlim_t)16 << 30, (rlim_t)16 << 30};
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_AS, &memory);
}

static int fail(struct reason *why, const char *text) {
    reason_set(why, "%s", text);
    return -1;
}

pid_t debug_child_begin(struct reason *why) {
    pid_t child = fork();
    if (child == 0)
        limit();
    return child < 0 ? fail(why, strerror(errno)) : child;
}

int debug_child_end(pid_t child, struct reason *why) {
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return fail(why, strerror(errno));
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    reason_set(why, "libdwarf failed on its debug information (%s)", strsignal(WTERMSIG(status)));
    return -1;
}

int debug_child(int (*work)(void *context), void *context, struct reason *why) {
    pid_t child = debug_child_begin(why);
    if (child == 0)
        _exit(work(context));
    return child < 0 ? -1 : debug_child_end(child, why);
}

/* ---- Reading debug information in a process of its own.
 *
 * Its findings come through a pipe: for each address struct told, for each of its places struct told_place
 * and the two names, without NULs. The process may have gone wild: nothing of that is believed.
 */

enum { NAME_MAX_SIZE = 1 << 20, PLACES_MAX = 1000, NO_NAME = -1 };

struct told {
    uint64_t index; /* of the address; END: no address, but why it ends */
    uint64_t count; /* of places; END: of bytes */
};

#define END UINT64_MAX

struct told_place {
    uint32_t line, column;
    int32_t function, file; /* lengths */
};

/* In the child. */

static int32_t length_of(const char *name) {
    size_t length = name ? strnlen(name, NAME_MAX_SIZE) : 0;
    return name ? (int32_t)length : NO_NAME;
}

static void put_name(FILE *to, const char *name, int32_t length) {
    if (length > 0)
        fwrite(name, 1, (size_t)length, to);
}

static void put_found(void *context, size_t index, const struct place *places, size_t count) {
    FILE *to = context;
    struct told told = {index, count < PLACES_MAX ? count : PLACES_MAX};
    fwrite(&told, sizeof told, 1, to);
    for (size_t i = 0; i < told.count; i++) {
        struct told_place place = {places[i].line, places[i].column, length_of(places[i].function),
                                   length_of(places[i].file)};
        fwrite(&place, sizeof place, 1, to);
        put_name(to, places[i].function, place.function);
        put_name(to, places[i].file, place.file);
    }
}

static void look_up_here(int fd, const struct elf_file *elf, const uint64_t *addresses, size_t count) {
    struct reason why = {""};
    FILE *to = fdopen(fd, "w");
    if (!to)
        _exit(1);
    if (debug_lookup(elf, addresses, count, put_found, to, &why))
        why.text[0] = '\0';
    struct told end = {END, strlen(why.text)};
    fwrite(&end, sizeof end, 1, to);
    fwrite(why.text, 1, end.count, to);
    _exit(fclose(to) == 0 ? 0 : 1);
}

/* In the parent. */

struct listener {
    FILE *from;
    size_t addresses;
    debug_found *found;
    void *context;
    struct place places[PLACES_MAX];
    size_t ends[PLACES_MAX][2]; /* of names in text, plus one; 0: none */
    char *text;
    size_t used, room;
};

static bool get(struct listener *listener, void *to, size_t size) {
    return fread(to, 1, size, listener->from) == size;
}

/* Sets *at to where the name begins in the text, plus one. */
static bool get_name(struct listener *listener, int32_t length, size_t *at) {
    *at = 0;
    if (length == NO_NAME)
        return true;
    if (length < 0 || length > NAME_MAX_SIZE)
        return false;
    while (listener->room < listener->used + (size_t)length + 1)
        if (!grow(&listener->text, listener->room, &listener->room, 1))
            return false;
    if (!get(listener, listener->text + listener->used, (size_t)length))
        return false;
    listener->text[listener->used + (size_t)length] = '\0';
    *at = listener->used + 1;
    listener->used += (size_t)length + 1;
    return true;
}

static bool get_place(struct listener *listener, size_t i) {
    struct told_place told;
    if (!get(listener, &told, sizeof told) || !get_name(listener, told.function, &listener->ends[i][0]) ||
        !get_name(listener, told.file, &listener->ends[i][1]))
        return false;
    listener->places[i] = (struct place){.line = told.line, .column = told.column};
    return true;
}

static const char *name_at(const struct listener *listener, size_t at) {
    return at ? listener->text + at - 1 : NULL;
}

static bool get_found(struct listener *listener, const struct told *told) {
    listener->used = 0;
    if (told->index >= listener->addresses || !told->count || told->count > PLACES_MAX)
        return false;
    for (size_t i = 0; i < told->count; i++)
        if (!get_place(listener, i))
            return false;
    for (size_t i = 0; i < told->count; i++) {
        listener->places[i].function = name_at(listener, listener->ends[i][0]);
        listener->places[i].file = name_at(listener, listener->ends[i][1]);
    }
    listener->found(listener->context, told->index, listener->places, told->count);
    return true;
}

/* False: it ended without a word. */
static bool listen(struct listener *listener, struct reason *why) {
    struct told told;
    while (get(listener, &told, sizeof told)) {
        if (told.index == END) {
            bool is_read = told.count < sizeof why->text && get(listener, why->text, told.count);
            why->text[is_read ? told.count : 0] = '\0';
            return is_read;
        }
        if (!get_found(listener, &told))
            return false;
    }
    return false;
}

static bool hear(struct listener *listener, pid_t child, struct reason *why) {
    struct reason of_child;
    bool has_ended = listen(listener, why);
    fclose(listener->from);
    free(listener->text);
    int status = debug_child_end(child, &of_child);
    if (!has_ended)
        return reason_set(why, "%s", status < 0 ? of_child.text : "libdwarf failed on its debug information");
    return !why->text[0];
}

bool symbol_child_lookup(const struct elf_file *elf, const uint64_t *addresses, size_t count,
                         debug_found *found, void *context, struct reason *why) {
    struct listener listener = {.addresses = count, .found = found, .context = context};
    int ends[2];
    if (pipe(ends) != 0)
        return reason_set(why, "%s", strerror(errno));
    pid_t child = debug_child_begin(why);
    if (child == 0) {
        close(ends[0]);
        look_up_here(ends[1], elf, addresses, count);
    }
    close(ends[1]);
    listener.from = child < 0 ? NULL : fdopen(ends[0], "r");
    if (listener.from)
        return hear(&listener, child, why);
    close(ends[0]);
    return child > 0 && debug_child_end(child, why) >= 0 && reason_set(why, "out of memory");
}
