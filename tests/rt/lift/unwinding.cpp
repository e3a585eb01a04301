/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Compiled without the plugin. Nothing is billed to a call that was left before.
#include "unwound.h"

#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <pthread.h>

static void *volatile sink;

void *throwing(std::size_t n) {
    if (n > 5)
        throw 1;
    return std::malloc(n);
}

void *ending(std::size_t n) {
    if (n > 5)
        pthread_exit(nullptr);
    return std::malloc(n);
}

static void caught(void (*through)(std::size_t)) {
    try {
        through(6);
    } catch (int) {
    }
}

static void destroy(void *) {
    sink = std::malloc(13);
}

static pthread_key_t key;

static void *thread(void *ends_by) {
    pthread_setspecific(key, &key);
    reinterpret_cast<void (*)(std::size_t)>(ends_by)(6);
    return nullptr;
}

int main() {
    for (auto through : {through_c, through_cxx, through_pads, through_cleanup}) {
        caught(through);
        sink = std::malloc(11);
        caught(through);
        sink = wrapper(7);
    }
    pthread_key_create(&key, destroy);
    for (auto ends_by : {end, end_cleanup}) {
        pthread_t other;
        pthread_create(&other, nullptr, thread, reinterpret_cast<void *>(ends_by));
        pthread_join(other, nullptr);
    }
    std::puts("done");
    return 3;
}
