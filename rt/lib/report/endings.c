/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ends of the process without exit handlers: _exit, execution of another program, abort. */
#define _GNU_SOURCE
#include "lib/calls/interpose.h"
#include "lib/collect/profiling.h"
#include "lib/heap/underlying.h"
#include "lib/report/report.h"

#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef char *const *texts;

/* The C library's functions that calls are passed on to. The execl functions call the functions that take an
 * array. */
#define PASSING(X)                                                                                           \
    X(int, execve, const char *, texts, texts)                                                               \
    X(int, execv, const char *, texts)                                                                       \
    X(int, execvpe, const char *, texts, texts)                                                              \
    X(int, execvp, const char *, texts)                                                                      \
    X(int, fexecve, int, texts, texts)                                                                       \
    X(void, abort, void)

#ifdef ALLOCSITE_STATIC

#define REAL(name)                 __real_##name
#define DECLARE(result, name, ...) extern result __real_##name(__VA_ARGS__);
PASSING(DECLARE)

#else

#define REAL(name)                 real_##name
#define DECLARE(result, name, ...) static result (*real_##name)(__VA_ARGS__);
#define FIND(result, name, ...)    real_##name = (result(*)(__VA_ARGS__))underlying_symbol_after(#name);
PASSING(DECLARE)

/* The C library's assert calls abort internally, so it is interposed too. */
static void (*real_assert)(const char *, const char *, unsigned, const char *);

/* Not done at the first call, which may come after vfork or in a signal handler. */
__attribute__((constructor)) static void real_find(void) {
    PASSING(FIND)
    real_assert = (void (*)(const char *, const char *, unsigned, const char *))underlying_symbol_after(
        "__assert_fail");
}

#endif

/* A child of vfork executes this in the memory of its parent, which does not end. */
#define EXECUTE(name, ...)                                                                                   \
    enum profile_ending before = profiling_execute();                                                        \
    limits_lower();                                                                                          \
    int result = REAL(name)(__VA_ARGS__);                                                                    \
    limits_raise();                                                                                          \
    profiling_go_on(before);                                                                                 \
    return result

INTERPOSE(int, execve, const char *path, texts arguments, texts environment) {
    EXECUTE(execve, path, arguments, environment);
}

INTERPOSE(int, execv, const char *path, texts arguments) {
    EXECUTE(execv, path, arguments);
}

INTERPOSE(int, execvpe, const char *name, texts arguments, texts environment) {
    EXECUTE(execvpe, name, arguments, environment);
}

INTERPOSE(int, execvp, const char *name, texts arguments) {
    EXECUTE(execvp, name, arguments);
}

INTERPOSE(int, fexecve, int fd, texts arguments, texts environment) {
    EXECUTE(fexecve, fd, arguments, environment);
}

static size_t length_of(va_list list) {
    size_t length = 0;
    while (va_arg(list, const char *))
        length++;
    return length;
}

/* Copies listed arguments to an array on the stack, as the C library does. execle's list goes on after it. */
#define GATHER(array, list, first)                                                                           \
    va_start(list, first);                                                                                   \
    char *array[2 + length_of(list)];                                                                        \
    va_end(list);                                                                                            \
    va_start(list, first);                                                                                   \
    array[0] = (char *)(uintptr_t)first;                                                                     \
    for (size_t i = 0; array[i];)                                                                            \
    array[++i] = va_arg(list, char *)

INTERPOSE(int, execl, const char *path, const char *first, ...) {
    va_list list;
    GATHER(arguments, list, first);
    va_end(list);
    EXECUTE(execv, path, arguments);
}

INTERPOSE(int, execlp, const char *name, const char *first, ...) {
    va_list list;
    GATHER(arguments, list, first);
    va_end(list);
    EXECUTE(execvp, name, arguments);
}

INTERPOSE(int, execle, const char *path, const char *first, ...) {
    va_list list;
    GATHER(arguments, list, first);
    texts environment = va_arg(list, texts);
    va_end(list);
    EXECUTE(execve, path, arguments, environment);
}

/* Not if the program has a handler, which may jump away. */
static void note_abort(void) {
    struct sigaction action;
    if (sigaction(SIGABRT, NULL, &action) == 0 &&
        (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN))
        profiling_note(PROFILE_SIGNAL, SIGABRT);
}

INTERPOSE(__attribute__((noreturn)) void, abort, void) {
    note_abort();
    REAL(abort)();
    __builtin_unreachable();
}

#ifndef ALLOCSITE_STATIC

INTERPOSE(__attribute__((noreturn)) void, __assert_fail, const char *assertion, const char *file,
          unsigned line, const char *function) {
    note_abort();
    real_assert(assertion, file, line, function);
    __builtin_unreachable();
}

#endif

/* The C library's functions only make the system call. Looking them up is not safe after vfork. */
static __attribute__((noreturn)) void end_process(int status) {
    status = exit_at_once(status);
    for (;;)
        syscall(SYS_exit_group, status);
}

INTERPOSE(__attribute__((noreturn)) void, _exit, int status) {
    end_process(status);
}

INTERPOSE(__attribute__((noreturn)) void, _Exit, int status) {
    end_process(status);
}
