/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Every kind of C++ allocation, with notes as in program.c.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <pthread.h>
#include <type_traits>

static void *volatile sink;

template <class T> static T *keep(T *p) {
    sink = const_cast<typename std::remove_cv<T>::type *>(p);
    return p;
}

struct alignas(64) Wide {
    char bytes[128];
};

struct Throws {
    __attribute__((noinline)) Throws() {
        throw 1; // @ any
    }
    char bytes[40];
};

static int *global = keep(new int[25]); // @all 1 100 0 0 0

struct AtExit {
    ~AtExit() {
        delete keep(new char); // @all 1 1 0 0 0
        delete[] global;
    }
} at_exit;

template <class T> __attribute__((noinline)) void instantiated() {
    delete keep(new T); // @all 3 12 0 0 0 @all 3 24 0 0 0
}

__attribute__((noinline)) static void operators() {
    delete keep(new int);                                        // @all 1 4 0 0 0
    delete[] keep(new char[0]);                                  // @all 1 0 0 0 0
    delete keep(new (std::nothrow) long);                        // @all 1 8 0 0 0
    delete[] keep(new (std::nothrow) short[5]);                  // @all 1 10 0 0 0
    delete keep(new Wide);                                       // @all 1 128 0 0 0
    delete[] keep(new Wide[3]);                                  // @all 1 384 0 0 0
    delete keep(new (std::nothrow) Wide);                        // @all 1 128 0 0 0
    operator delete(keep((char *)operator new(33)), (size_t)33); // @all 1 33 0 0 0
    char *aligned = (char *)operator new(100, std::align_val_t(32)); // @all 1 100 0 0 0
    operator delete(keep(aligned), std::align_val_t(32));
}

__attribute__((noinline)) static void fails() {
    volatile size_t huge = SIZE_MAX / 4;
    try {
        keep(new char[huge]); // @all 0 0 0 0 1
    } catch (const std::bad_alloc &) {
        puts("bad_alloc");
    }
    if (!keep(new (std::nothrow) char[huge])) // @all 0 0 0 0 1
        puts("null");
    try {
        keep(new Throws); // @all 1 40 0 0 0
    } catch (int) {
        puts("constructor");
    }
}

struct PerThread {
    ~PerThread() {
        delete[] keep(new char[50]); // @all 4 200 0 0 0
    }
};
static thread_local PerThread per_thread;
static pthread_key_t key;

static void key_destructor(void *) {
    free(keep(malloc(60))); // @all 4 240 0 0 0
}

static void thread() {
    keep(&per_thread);
    pthread_setspecific(key, &key);
    for (int i = 0; i < 1000; i++)
        delete keep(new long); // @all 4000 32000 0 0 0
}

/* Not std::thread: libc's allocation for a thread would be attributed to that line, and depends on linking. */
static void join() {
    pthread_t started;
    pthread_create(&started, nullptr, [](void *) -> void * { thread(); return nullptr; }, nullptr); // @ any
    pthread_join(started, nullptr);
}

int main() {
    for (int i = 0; i < 3; i++) {
        instantiated<int>();
        instantiated<double>();
    }
    operators();
    fails();
    pthread_key_create(&key, key_destructor);
    for (int i = 0; i < 4; i++)
        join();
    puts("done");
    return 3;
}
