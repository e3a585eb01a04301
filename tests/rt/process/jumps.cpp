/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Calls that do not return: operators that throw, callbacks that throw or jump, cancelled threads.
// Later calls are attributed correctly. What scandir itself allocates depends on the directory: @
// any.
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <new>
#include <pthread.h>
#include <unistd.h>

static void *volatile sink;
static volatile size_t huge = (size_t)1 << 60;
static jmp_buf around;

static int filter_throws(const struct dirent *) {
    sink = strdup("ab"); // @ 2 6 0 0 0
    throw 1;             // @ any
}

static int filter_jumps(const struct dirent *) {
    sink = malloc(5); // @ 2 10 0 0 0
    longjmp(around, 1);
}

static int filter_nested(const struct dirent *entry) {
    struct dirent **names;
    static bool nested;
    if (!nested) {
        nested = true;
        try {
            scandir("/", &names, filter_throws, alphasort); // @ any
        } catch (int) {
        }
        sink = malloc(7); // @ 1 7 0 0 0
    }
    return entry->d_name[0] == 'n' && 0;
}

static void scans() {
    struct dirent **names;
    try {
        scandir("/", &names, filter_throws, alphasort); // @ any
    } catch (int) {
    }
    sink = malloc(1); // @ 1 1 0 0 0
    for (volatile int i = 0; i < 2; i++)
        if (!setjmp(around))
            scandir("/", &names, filter_jumps, alphasort); // @ any
    sink = malloc(2);                                      // @ 1 2 0 0 0
    scandir("/", &names, filter_nested, alphasort);        // @ any
}

static void throws() {
    for (int i = 0; i < 3; i++)
        try {
            sink = new char[huge]; // @ 3 408 0 0 3
        } catch (const std::bad_alloc &) {
        }
    sink = new (std::nothrow) char[huge]; // @ 0 0 0 0 1
    sink = new char[4];                   // @ 1 4 0 0 0
}

static int handled;

static void gives_up() {
    sink = malloc(6); // @ 2 12 0 0 0
    if (++handled == 2)
        std::set_new_handler(nullptr);
}

static void handlers() {
    std::set_new_handler(gives_up);
    try {
        sink = operator new(huge); // @ 1 136 0 0 3
    } catch (const std::bad_alloc &) {
    }
    sink = malloc(3); // @ 1 3 0 0 0
}

static void *reads_forever(void *) {
    int pipes[2];
    if (pipe(pipes))
        abort();
    FILE *stream = fdopen(pipes[0], "r"); // @ any
    char *line = nullptr;
    size_t size = 0;
    sink = malloc(9);              // @ 1 9 0 0 0
    getline(&line, &size, stream); // @ any
    return nullptr;
}

static void cancels() {
    pthread_t thread;
    pthread_create(&thread, nullptr, reads_forever, nullptr); // @ any
    usleep(100000);
    pthread_cancel(thread);
    pthread_join(thread, nullptr);
}

int main() {
    scans();
    throws();
    handlers();
    cancels();
    puts("done");
    return 3;
}
