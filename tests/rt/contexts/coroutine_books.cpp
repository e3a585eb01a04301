/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Records its own call paths (paths.h) through C++20 coroutines. A coroutine is resumed by other functions, other
// coroutines, itself through others, and other threads than the one that started it. It allocates before and after its
// suspensions, and leaves by exceptions.
#include <alloca.h>
#include <coroutine>

#include "paths.h"

static unsigned random_state = 1;
static __thread void *volatile sink;

APART static unsigned choose(unsigned from) {
    random_state = random_state * 1664525 + 1013904223;
    return (random_state >> 10) % from;
}

APART static void allocates(const Path *caller) {
    ENTER(caller);
    note(path);
    sink = malloc(8);
    free(sink);
    HERE;
}

APART static void allocates_in_a_frame_of_any_size(const Path *caller) {
    ENTER(caller);
    volatile char *memory = static_cast<char *>(alloca(16 + 16 * choose(64)));
    memory[0] = 1;
    allocates(path);
    HERE;
}

// Frames of coroutines are allocated here, because a compiler may elide their allocation.
static char frames[1 << 24];
static char *next_frame = frames;

struct Coroutine {
    struct promise_type {
        const Path *caller; // of the current resumption
        Coroutine get_return_object() {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_never initial_suspend() noexcept {
            return {};
        }
        std::suspend_always final_suspend() noexcept {
            return {};
        }
        struct Resumed {
            promise_type &promise;
            bool await_ready() noexcept {
                return false;
            }
            void await_suspend(std::coroutine_handle<>) noexcept {}
            const Path *await_resume() noexcept {
                return promise.caller;
            }
        };
        Resumed yield_value(int) {
            return {*this};
        }
        void return_void() {}
        void unhandled_exception() {
            throw;
        }
        static void *operator new(size_t bytes) {
            char *frame = next_frame;
            next_frame += (bytes + 15) / 16 * 16;
            if (next_frame > frames + sizeof frames)
                abort();
            return frame;
        }
        static void operator delete(void *) {}
    };
    std::coroutine_handle<promise_type> handle;

    APART void goes_on(const Path *caller) {
        ENTER(caller);
        handle.promise().caller = path;
        handle.resume();
        HERE;
    }
};

// Suspends, and continues in the path of its resumer.
#define SUSPEND() path = enter(co_yield 0, __func__)

static void acts(const Path *caller, int depth);

APART static Coroutine counts(const Path *caller, int most) {
    ENTER(caller);
    allocates(path);
    for (int i = 0; i < most; i++) {
        note(path);
        void *block = sink = malloc(16);
        SUSPEND();
        free(block);
        allocates_in_a_frame_of_any_size(path);
        note(path);
        sink = new char;
        delete static_cast<char *>(sink);
    }
}

APART static Coroutine throws(const Path *caller, int most) {
    ENTER(caller);
    for (int i = 0; i < most; i++) {
        SUSPEND();
        allocates(path);
    }
    SUSPEND();
    note(path);
    throw 1;
}

APART static Coroutine calls_anything(const Path *caller, int most) {
    ENTER(caller);
    for (int i = 0; i < most; i++) {
        SUSPEND();
        acts(path, 2);
        allocates(path);
    }
}

APART static Coroutine resumes_another_one(const Path *caller, int most) {
    ENTER(caller);
    Coroutine inner = most % 2 ? counts(path, most) : resumes_another_one(path, most - 1);
    while (!inner.handle.done()) {
        inner.goes_on(path);
        SUSPEND();
        note(path);
        sink = malloc(24);
        free(sink);
    }
    inner.handle.destroy();
}

static Coroutine (*const makers[])(const Path *, int) = {counts, throws, calls_anything, resumes_another_one};

// ---- Suspended coroutines, and random actions on them.

static Coroutine suspended[16];
static bool is_running[16];

APART static void resumes_one(const Path *caller) {
    ENTER(caller);
    unsigned at = choose(16);
    if (is_running[at])
        return;
    Coroutine &one = suspended[at];
    is_running[at] = true;
    if (!one.handle || one.handle.done()) {
        if (one.handle)
            one.handle.destroy();
        one = makers[choose(4)](path, static_cast<int>(choose(6)));
    } else {
        try {
            one.goes_on(path);
        } catch (int) {
            allocates(path);
        }
    }
    is_running[at] = false;
    HERE;
}

APART static void recurses(const Path *caller, int depth) {
    ENTER(caller);
    volatile char pad[100];
    pad[depth & 7] = 1;
    if (depth)
        recurses(path, depth - 1);
    else
        resumes_one(path);
    sink = nullptr;
}

APART static void acts(const Path *caller, int depth) {
    ENTER(caller);
    if (choose(3))
        resumes_one(path);
    if (!choose(3))
        recurses(path, depth);
    if (!choose(4))
        allocates_in_a_frame_of_any_size(path);
    HERE;
}

static void *thread(void *rounds) {
    const Path *caller = nullptr;
    ENTER(caller);
    for (int i = 0; i < *static_cast<int *>(rounds); i++)
        acts(path, i % 5);
    HERE;
    return nullptr;
}

// The threads take turns: each resumes coroutines that others have started.
int main() {
    const Path *caller = nullptr;
    ENTER(caller);
    for (int turn = 0; turn < 40; turn++) {
        int rounds = 150;
        pthread_t other;
        pthread_create(&other, nullptr, thread, &rounds);
        pthread_join(other, nullptr);
        for (int i = 0; i < rounds; i++)
            acts(path, i % 4);
    }
    write_books("books");
    puts("done");
    return 3;
}
