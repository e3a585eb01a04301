/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Records its own call paths (paths.h) through coroutines of swapcontext. Threads resume them in turn, so each
// continues in another thread than the one that started it. They resume one another, jump and throw on their own
// stacks, and are abandoned halfway, after which another one gets the stack.
#include <alloca.h>
#include <csetjmp>
#include <sys/mman.h>
#include <ucontext.h>

#include "paths.h"

enum { COROUTINES = 12, STACK_SIZE = 1 << 16 };

struct Coroutine {
    ucontext_t inside, *outside;
    char *stack;
    bool is_alive, is_running;
};

static Coroutine coroutines[COROUTINES];
static unsigned random_state;
static int fuel;
static void *volatile sink;
static __thread Coroutine *current_here;

// The thread may change at each switch, which compilers do not expect.
APART static Coroutine **current() {
    Coroutine **here = &current_here;
    __asm__ volatile("" : "+r"(here));
    return here;
}

APART static unsigned choose(unsigned from) {
    random_state = random_state * 1664525 + 1013904223;
    return (random_state >> 10) % from;
}

APART static void suspend() {
    Coroutine *self = *current();
    swapcontext(&self->inside, self->outside);
}

// ---- Random actions.

typedef void Action(const Path *caller, int depth);
APART static Action *next(int depth);

APART static void allocates(const Path *caller, int) {
    ENTER(caller);
    note(path);
    sink = malloc(8);
    free(sink);
    HERE;
}

APART static void allocates_in_a_frame_of_any_size(const Path *caller, int) {
    ENTER(caller);
    volatile char *memory = static_cast<char *>(alloca(16 + 16 * choose(20)));
    memory[0] = 1;
    note(path);
    sink = new char;
    delete static_cast<char *>(sink);
    HERE;
}

APART static void calls(const Path *caller, int depth) {
    ENTER(caller);
    allocates(path, 0);
    next(depth)(path, depth - 1);
    HERE;
}

APART static void recurses(const Path *caller, int depth) {
    ENTER(caller);
    volatile char pad[64];
    pad[depth & 7] = 1;
    if (depth > 0)
        recurses(path, depth - 1);
    else
        next(0)(path, 0);
    HERE;
}

APART static void throws(const Path *caller, int depth) {
    ENTER(caller);
    next(depth)(path, depth - 1);
    note(path);
    throw 1;
}

APART static void catches(const Path *caller, int depth) {
    ENTER(caller);
    try {
        throws(path, depth - 1);
    } catch (int) {
        allocates(path, 0);
    }
    HERE;
}

APART static void jumps(const Path *caller, int depth, jmp_buf *back) {
    ENTER(caller);
    next(depth)(path, depth - 1);
    longjmp(*back, 1);
}

APART static void is_jumped_to(const Path *caller, int depth) {
    ENTER(caller);
    jmp_buf back;
    const Path *volatile kept = path;
    volatile int left = depth;
    if (!setjmp(back))
        jumps(path, depth - 1, &back);
    allocates_in_a_frame_of_any_size(kept, 0);
    next(left)(kept, left - 1);
    HERE;
}

APART static void is_suspended(const Path *caller, int depth) {
    ENTER(caller);
    if (*current())
        suspend();
    next(depth)(path, depth - 1);
    HERE;
}

static void body(), other_body();
static void (*const bodies[])() = {body, other_body};

APART static void resumes_one(const Path *caller, int depth) {
    ENTER(caller);
    Coroutine *one = &coroutines[choose(COROUTINES)], *before = *current();
    if (!one->is_running) {
        ucontext_t outside;
        if (!one->is_alive || !choose(6)) {
            getcontext(&one->inside);
            one->inside.uc_stack.ss_sp = one->stack;
            one->inside.uc_stack.ss_size = STACK_SIZE;
            makecontext(&one->inside, bodies[choose(2)], 0);
            one->is_alive = true;
        }
        one->outside = &outside;
        one->is_running = true;
        *current() = one;
        swapcontext(&outside, &one->inside);
        one->is_running = false;
        *current() = before;
    }
    next(depth)(path, depth - 1);
    HERE;
}

static Action *const actions[] = {
    allocates,    allocates_in_a_frame_of_any_size,
    calls,        recurses,
    catches,      is_jumped_to,
    is_suspended, is_suspended,
    resumes_one,
};

APART static Action *next(int depth) {
    bool is_last = depth <= 0 || --fuel <= 0;
    return actions[choose(is_last ? 2 : sizeof actions / sizeof *actions)];
}

static void end() {
    (*current())->is_alive = false;
    suspend();
}

static void body() {
    const Path *caller = nullptr;
    ENTER(caller);
    for (int i = 0; i < 3; i++)
        next(5)(path, 5);
    end();
}

static void other_body() {
    const Path *caller = nullptr;
    ENTER(caller);
    volatile char pad[160];
    pad[1] = 1;
    recurses(path, 3);
    next(6)(path, 6);
    end();
}

// ---- The threads.

static void *thread(void *) {
    const Path *caller = nullptr;
    ENTER(caller);
    for (int i = 0; i < 60; i++) {
        fuel = 30;
        resumes_one(path, 4);
    }
    HERE;
    return nullptr;
}

int main() {
    const Path *caller = nullptr;
    ENTER(caller);
    for (Coroutine &one : coroutines)
        one.stack = static_cast<char *>(
            mmap(nullptr, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    for (int turn = 0; turn < 30; turn++) {
        pthread_t other;
        pthread_create(&other, nullptr, thread, nullptr);
        pthread_join(other, nullptr);
        for (int i = 0; i < 40; i++) {
            fuel = 30;
            next(5)(path, 5);
            resumes_one(path, 0);
        }
    }
    write_books("books");
    puts("done");
    return 3;
}
