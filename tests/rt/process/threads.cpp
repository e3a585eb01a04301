/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Threads that start and end in waves and allocate until their very end: in thread_local destructors and in destructors
// of keys, which register themselves again for all four rounds; static constructors and destructors, atexit. Notes: @
// allocs alloc_bytes reallocs realloc_bytes failed.
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <thread>
#include <vector>

static void *volatile sink;
static const int waves = 50, at_once = 20;

struct AtEnd {
    ~AtEnd() {
        sink = malloc(11); // @ 1000 11000 0 0 0
    }
};

static thread_local AtEnd at_end;
static pthread_key_t keys[3];

static void round_of_destructors(void *value) {
    sink = malloc(13); // @ 12001 156013 0 0 0
    long left = (long)value / 4 - 1;
    if (left > 0)
        pthread_setspecific(keys[(long)value % 4], (void *)(left * 4 + (long)value % 4));
}

static void work() {
    for (long i = 0; i < 3; i++)
        pthread_setspecific(keys[i], (void *)(4 * 4 + i));
    (void)&at_end; // @ 1000 32000 0 0 0
    sink = &at_end;
    for (int i = 0; i < 100; i++)
        sink = malloc(19); // @ 100000 1900000 0 0 0
    sink = new int;        // @ 1000 4000 0 0 0
}

static void *only_at_end(void *) {
    pthread_setspecific(keys[0], (void *)(1 * 4));
    return nullptr;
}

struct Static {
    Static() {
        sink = malloc(23); // @ 1 23 0 0 0
    }
    ~Static() {
        sink = malloc(29); // @ 1 29 0 0 0
    }
} early;

__attribute__((constructor)) static void construct() {
    sink = malloc(31); // @ 1 31 0 0 0
}

__attribute__((destructor)) static void destroy() {
    sink = malloc(37); // @ 1 37 0 0 0
}

static void handler() {
    sink = malloc(41); // @ 1 41 0 0 0
}

int main() {
    atexit(handler);
    for (auto &key : keys)
        pthread_key_create(&key, round_of_destructors);
    for (int wave = 0; wave < waves; wave++) {
        std::vector<std::thread> threads;
        for (int i = 0; i < at_once; i++)
            threads.emplace_back(work); // @ any
        for (auto &thread : threads)
            thread.join();
    }
    pthread_t last; // allocates nothing before its end
    pthread_create(&last, nullptr, only_at_end, nullptr);
    pthread_join(last, nullptr);
    puts("done");
    return 3;
}
