/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Allocates from many stacks, also in threads, and records the stacks that the C library's backtrace() finds: one line
// per stack, with its count and the return addresses as offsets in the program's file.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

#define CALLED __attribute__((noinline, optnone))
#ifdef OPTIMISED
#undef CALLED
#define CALLED __attribute__((noinline))
#endif

#define FRAMES 64

struct Seen {
    unsigned long count;
    int depth;
    void *frames[FRAMES];
};

static const size_t most = 4096;
static Seen *seen;
static size_t known;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static std::atomic<int> kept;

// frames[0] is in leaf(), after another call than the allocator's.
static void note(void **frames, int depth) {
    pthread_mutex_lock(&lock);
    size_t i = 0;
    while (i < known && (seen[i].depth != depth || memcmp(seen[i].frames + 1, frames + 1, (depth - 1) * sizeof *frames) != 0))
        i++;
    if (i == known) {
        seen[known].depth = depth;
        memcpy(seen[known++].frames, frames, depth * sizeof *frames);
    }
    seen[i].count++;
    pthread_mutex_unlock(&lock);
}

CALLED static void leaf(size_t size) {
    void *frames[FRAMES];
    int depth = backtrace(frames, FRAMES);
    void *volatile block = malloc(size); // leaf
    note(frames, depth);
    free(block);
    kept++;
}

CALLED static void left(size_t size, int depth);

CALLED static void right(size_t size, int depth) {
    volatile char room[40 + 16 * (depth & 3)];
    room[0] = 1;
    if (depth & 1)
        left(size + room[0], depth >> 1);
    else if (depth)
        right(size, depth >> 1);
    else
        leaf(size);
    kept++;
}

CALLED static void left(size_t size, int depth) {
    if (depth & 1)
        left(size + 2, depth >> 1);
    else if (depth)
        right(size + 1, depth >> 1);
    else
        leaf(size);
    kept++;
}

CALLED static void deep(int depth) {
    if (depth)
        deep(depth - 1);
    else
        leaf(7);
    kept++;
}

extern "C" CALLED int compare(const void *a, const void *b) {
    leaf(5);
    int order = *(const char *)a - *(const char *)b;
    kept++;
    return order;
}

struct Thrower {
    ~Thrower() { leaf(9); }
};

CALLED static void thrower() {
    Thrower thrown;
    throw 1;
}

CALLED static void all() {
    for (int i = 0; i < 64; i++)
        left(1, i), right(3, i);
    for (int i = 0; i < 100; i += 7)
        deep(i);
    char text[] = "stack";
    qsort(text, 5, 1, compare);
    try {
        thrower();
    } catch (int) {
        leaf(11);
    }
    kept++;
}

static void *thread(void *unused) {
    all();
    kept++;
    return unused;
}

static void write_stacks(FILE *to) {
    for (size_t i = 0; i < known; i++) {
        fprintf(to, "%lu", seen[i].count);
        for (int k = 0; k < seen[i].depth; k++) {
            Dl_info info = {};
            bool is_known = dladdr(seen[i].frames[k], &info);
            unsigned long base = is_known ? (unsigned long)info.dli_fbase : 0;
            const char *name = is_known ? strrchr(info.dli_fname, '/') : nullptr;
#ifdef POSITION_DEPENDENT
            base = name && strcmp(name + 1, program_invocation_short_name) == 0 ? 0 : base;
#endif
            fprintf(to, " %s+%#lx", name ? name + 1 : "?", (unsigned long)seen[i].frames[k] - base);
        }
        fputc('\n', to);
    }
}

int main(int count, char **arguments) {
    void *first[1];
    backtrace(first, 1); // which loads the unwinder
    seen = (Seen *)mmap(nullptr, most * sizeof *seen, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_t ids[3];
    for (pthread_t &id : ids)
        pthread_create(&id, nullptr, thread, nullptr);
    for (pthread_t id : ids)
        pthread_join(id, nullptr);
    all();
    FILE *to = fopen(arguments[count - 1], "w");
    write_stacks(to);
    fclose(to);
    puts("done");
    return 3;
}
