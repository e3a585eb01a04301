/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Records its own call paths (paths.h), which are compared with the report frame by frame. The calls are
// chosen at random, so all ways to call and to leave occur within one another, and frames have random
// sizes.
#include <alloca.h>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <ucontext.h>

#include "paths.h"

// ---- Random actions.

struct State {
    unsigned random;
    int fuel;
    jmp_buf *back;
    ucontext_t *inside, *outside;
    bool is_inside;
    const Path *interrupted;
};

static __thread State state;

APART static unsigned choose(unsigned from) {
    state.random = state.random * 1664525 + 1013904223;
    return (state.random >> 10) % from;
}

typedef const Path *Action(const Path *caller, int depth);
APART static Action *next(int depth);
extern "C" void library_calls(Action *, const Path *, int);
extern "C" void *library_jumps(Action *, Action *, const Path *, int);

static __thread void *volatile sink;

APART static const Path *allocates(const Path *caller, int) {
    ENTER(caller);
    note(path);
    sink = malloc(8);
    free(sink);
    return path;
}

APART static const Path *allocates_in_a_frame_of_any_size(const Path *caller, int) {
    ENTER(caller);
    volatile char *memory = static_cast<char *>(alloca(16 + 16 * choose(64)));
    memory[0] = 1;
    note(path);
    sink = malloc(16);
    free(sink);
    return path;
}

APART static const Path *calls(const Path *caller, int depth) {
    ENTER(caller);
    next(depth)(path, depth - 1);
    HERE;
    return path;
}

APART static const Path *calls_twice(const Path *caller, int depth) {
    ENTER(caller);
    for (int i = 0; i < 2; i++)
        next(depth)(path, depth - 1);
    note(path);
    sink = new char;
    delete static_cast<char *>(sink);
    return path;
}

APART static const Path *recurses(const Path *caller, int depth) {
    ENTER(caller);
    volatile char pad[100];
    pad[depth & 7] = 1;
    if (depth > 0 && choose(4))
        recurses(path, depth - 1);
    else
        next(depth)(path, depth - 1);
    sink = nullptr;
    return path;
}

APART static const Path *has_a_frame_of_any_size(const Path *caller, int depth) {
    ENTER(caller);
    volatile char *memory = static_cast<char *>(alloca(16 + 16 * choose(64)));
    memory[0] = 1;
    next(depth)(path, depth - 1);
    HERE;
    return path;
}

// Tail calls that close no cycle: all frames are on the stack.
APART static Path *last_of_all(const Path *caller, long, long) {
    ENTER(caller);
    note(path);
    sink = strdup("text");
    free(sink);
    return path;
}

APART static Path *last_but_one(const Path *caller, long more) {
    ENTER(caller);
    return last_of_all(path, more, 3);
}

APART static const Path *ends_in_a_call(const Path *caller, int depth) {
    ENTER(caller);
    note(path);
    sink = malloc(24);
    free(sink);
    return last_but_one(path, depth);
}

APART static void *returns_a_block(const Path *caller) {
    ENTER(caller);
    note(path);
    return malloc(32);
}

APART static const Path *takes_a_block(const Path *caller, int) {
    ENTER(caller);
    sink = returns_a_block(path);
    free(sink);
    return path;
}

struct Node {
    Node *children[3];
    APART virtual const Path *visit(const Path *caller, int depth) {
        ENTER(caller);
        for (Node *child : children)
            if (child && depth > 0)
                child->visit(path, depth - 1);
        note(path);
        sink = malloc(40);
        free(sink);
        return path;
    }
};

struct Leaf : Node {
    APART const Path *visit(const Path *caller, int depth) override {
        ENTER(caller);
        next(depth)(path, depth - 1);
        HERE;
        return path;
    }
};

struct Wide : Node {
    APART const Path *visit(const Path *caller, int depth) override {
        ENTER(caller);
        volatile char pad[200];
        pad[depth & 7] = 1;
        Node::visit(path, depth);
        for (Node *child : children)
            if (child && depth > 0)
                child->visit(path, depth - 1);
        pad[0] = 2;
        return path;
    }
};

static Leaf leaf;
static Node lower;
static Wide wide;
static Node tree;

APART static const Path *walks_a_tree(const Path *caller, int depth) {
    ENTER(caller);
    tree.visit(path, depth);
    HERE;
    return path;
}

// ---- Ways to leave.

APART static const Path *throws(const Path *caller, int depth) {
    ENTER(caller);
    if (depth > 0)
        next(depth)(path, depth - 1);
    note(path);
    throw 1;
}

APART static const Path *catches(const Path *caller, int depth) {
    ENTER(caller);
    try {
        throws(path, depth - 2);
    } catch (int) {
        note(path);
        sink = malloc(48);
        free(sink);
    }
    next(depth)(path, depth - 1);
    HERE;
    return path;
}

APART static const Path *jumps(const Path *caller, int depth) {
    ENTER(caller);
    if (depth > 0)
        next(depth)(path, depth - 1);
    longjmp(*state.back, 1);
}

APART static const Path *is_jumped_to(const Path *caller, int depth) {
    ENTER(caller);
    jmp_buf here, *volatile around = state.back;
    const Path *volatile kept = path;
    volatile int left = depth;
    state.back = &here;
    if (!setjmp(here))
        jumps(path, depth - 2);
    state.back = around;
    next(left)(kept, left - 1);
    note(const_cast<Path *>(kept));
    sink = malloc(56);
    free(sink);
    return kept;
}

// ---- Uninstrumented code: it calls back, and jumps where it has called back before.

APART static const Path *is_called_by_a_library(const Path *caller, int depth) {
    ENTER(caller);
    library_calls(next(depth), path, depth - 1);
    HERE;
    return path;
}

APART static const Path *is_jumped_to_by_a_library(const Path *caller, int depth) {
    ENTER(caller);
    library_jumps(next(depth), choose(2) ? allocates_in_a_frame_of_any_size : next(depth), path, depth - 1);
    HERE;
    return path;
}

APART static void handler(int) {
    const Path *caller = state.interrupted;
    ENTER(caller);
    note(path);
    sink = malloc(64);
    free(sink);
    HERE;
}

APART static void handler_of_all(int, siginfo_t *, void *) {
    const Path *caller = state.interrupted;
    ENTER(caller);
    allocates(path, 0);
    HERE;
}

APART static const Path *is_interrupted(const Path *caller, int depth) {
    ENTER(caller);
    state.interrupted = path;
    raise(depth % 2 ? SIGUSR1 : SIGUSR2);
    next(depth)(path, depth - 1);
    HERE;
    return path;
}

// ---- A coroutine that is abandoned in the middle.

static void body() {
    const Path *caller = nullptr;
    ENTER(caller);
    for (;;) {
        next(3)(path, 3);
        state.is_inside = false;
        swapcontext(state.inside, state.outside);
    }
}

APART static const Path *switches(const Path *caller, int depth) {
    ENTER(caller);
    jmp_buf *back = state.back;
    state.is_inside = !state.is_inside;
    state.is_inside ? swapcontext(state.outside, state.inside) : swapcontext(state.inside, state.outside);
    state.back = back;
    next(depth)(path, depth - 1);
    HERE;
    return path;
}

static Action *const actions[] = {
    allocates,
    allocates_in_a_frame_of_any_size,
    ends_in_a_call,
    takes_a_block,
    calls,
    calls_twice,
    recurses,
    has_a_frame_of_any_size,
    walks_a_tree,
    catches,
    is_jumped_to,
    is_called_by_a_library,
    is_jumped_to_by_a_library,
    is_interrupted,
    switches,
};

APART static Action *next(int depth) {
    bool is_last = depth <= 0 || --state.fuel <= 0;
    return actions[choose(is_last ? 4 : sizeof actions / sizeof *actions)];
}

// ---- Threads, each with a coroutine.

APART static void run(const Path *caller, unsigned seed, int rounds) {
    ENTER(caller);
    static __thread char stack[1 << 18];
    ucontext_t inside, outside;
    state.random = seed;
    state.outside = &outside;
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = sizeof stack;
    makecontext(&inside, body, 0);
    state.inside = &inside;
    for (int i = 0; i < rounds; i++) {
        state.fuel = 60;
        next(9)(path, 9);
        state.fuel = 20;
        state.is_inside = true;
        swapcontext(&outside, &inside);
    }
    HERE;
}

static void *thread(void *seed) {
    const Path *caller = nullptr;
    ENTER(caller);
    run(path, static_cast<unsigned>(reinterpret_cast<uintptr_t>(seed)), 12);
    HERE;
    return nullptr;
}

int main(int count, char **arguments) {
    const Path *caller = nullptr;
    ENTER(caller);
    unsigned seed = count > 1 ? static_cast<unsigned>(atoi(arguments[1])) : 1;
    struct sigaction all = {};
    all.sa_sigaction = handler_of_all;
    all.sa_flags = SA_SIGINFO;
    signal(SIGUSR1, handler);
    sigaction(SIGUSR2, &all, nullptr);
    lower = Node{};
    lower.children[0] = lower.children[2] = &leaf;
    wide.children[0] = &lower;
    wide.children[1] = &wide;
    tree.children[0] = &wide;
    tree.children[1] = &tree;
    tree.children[2] = &leaf;
    run(path, seed, 30);
    pthread_t threads[2];
    for (uintptr_t i = 0; i < 2; i++)
        pthread_create(&threads[i], nullptr, thread, reinterpret_cast<void *>(seed + i + 1));
    for (pthread_t one : threads)
        pthread_join(one, nullptr);
    write_books("books");
    puts("done");
    return 3;
}
