/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Stacks with all kinds of frames, each walked and compared with records of the functions on it.
#include "calls.h"

#include <algorithm>
#include <alloca.h>
#include <functional>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static volatile char sink;

// Prevents the compiler from removing unused memory.
#define KEEP(memory) __asm__ volatile("" : : "r"(memory) : "memory")

// ---- frames of all sizes ----

OURS static void recursion(int depth) {
    NOTED;
    if (depth == 0)
        check("recursion");
    else
        recursion(depth - 1);
}

OURS static void large_frame(const char *what, void (*inner)(const char *)) {
    NOTED;
    char array[200000];
    KEEP(array);
    inner(what);
    KEEP(array);
}

OURS static void larger_frame() { // larger than the table of rules can express
    NOTED;
    char array[3 << 20];
    KEEP(array);
    check("larger frame");
    KEEP(array);
}

OURS static void variable_frame(size_t size) {
    NOTED;
    void *array = alloca(size);
    KEEP(array);
    check("variable frame");
    KEEP(array);
}

OURS static void aligned_frame(size_t size) {
    NOTED;
    alignas(128) char array[256];
    void *more = alloca(size);
    KEEP(array);
    KEEP(more);
    check("aligned frame");
    KEEP(array);
}

OURS static void many_arguments(int a, int b, int c, int d, int e, int f, int g, int h, double i, ...) {
    NOTED;
    va_list more;
    va_start(more, i);
    sink = (char)(a + b + c + d + e + f + g + h + va_arg(more, int));
    va_end(more);
    check("many arguments");
}

// ---- callbacks ----

OURS static int order(const void *a, const void *b) {
    NOTED;
    static bool done;
    if (!done)
        check("qsort");
    done = true;
    return *(const int *)a - *(const int *)b;
}

OURS static int look(const void *a, const void *b) {
    NOTED;
    check("bsearch");
    return *(const int *)a - *(const int *)b;
}

OURS static void callbacks() {
    NOTED;
    int numbers[] = {5, 3, 4, 1, 2};
    qsort(numbers, 5, sizeof *numbers, order);
    sink = bsearch(&numbers[4], numbers, 5, sizeof *numbers, look) != nullptr;
    std::function<void(const char *)> function = check;
    function("std::function");
    std::sort(numbers, numbers + 5, [](int a, int b) {
        static bool done;
        if (!done)
            recursion(3);
        done = true;
        return a < b;
    });
}

namespace {

struct Base {
    virtual ~Base() = default;
    virtual void call();
};

struct Derived : Base {
    void call() override;
};

OURS void Base::call() {
    NOTED;
    check("virtual");
}

OURS void Derived::call() {
    NOTED;
    Base::call();
}

} // namespace

// ---- exceptions and jumps ----

#ifdef __cpp_exceptions

OURS static void unwound() {
    NOTED;
    check("destructor in unwinding");
}

struct Checking {
    ~Checking() {
        unwound();
    }
};

OURS static void throwing(int depth) {
    NOTED;
    Checking checking;
    if (depth == 0)
        throw depth;
    throwing(depth - 1);
}

OURS static void exceptions() {
    NOTED;
    for (int i = 0; i < 3; i++) {
        try {
            throwing(i);
        } catch (int) {
            check("handler");
        }
        check("behind a handler");
    }
}

#else
#define exceptions() ((void)0)
#endif

static thread_local jmp_buf landing;

OURS static void jump() {
    NOTED;
    check("before a jump");
    longjmp(landing, 1);
}

OURS static void jumps() {
    NOTED;
    volatile size_t depth = notes.depth;
    if (setjmp(landing) == 0)
        jump();
    notes.depth = depth;
    check("behind a jump");
}

// ---- signals ----

OURS static void on_signal(int) {
    size_t depth = notes.depth;
    walked.count = walk_stack(walked.frames, FRAMES_MOST, &walked.end);
    compare_all("signal", -1);
    notes.depth = depth;
}

OURS static void raised() {
    NOTED;
    raise(SIGUSR1);
    check("behind a signal");
}

OURS static void signals(int flags) {
    NOTED;
    static thread_local char stack[1 << 16];
    stack_t alternate = {}, before;
    alternate.ss_sp = stack;
    alternate.ss_size = sizeof stack;
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = flags;
    sigaltstack(&alternate, &before);
    sigaction(SIGUSR1, &action, nullptr);
    raised();
    large_frame("signal", [](const char *) { raised(); });
    sigaltstack(&before, nullptr);
}

static volatile sig_atomic_t ticks;

OURS static void on_tick(int) {
    walked.count = walk_stack(walked.frames, FRAMES_MOST, &walked.end);
    compare_all("tick", -1);
    ticks++;
}

// Functions without records; a signal may interrupt each of their instructions.
OURS static int unnoted(int depth) {
    volatile char array[64];
    array[depth] = (char)depth;
    return depth ? unnoted(depth - 1) + array[depth] : (int)strlen("length");
}

OURS static void interrupted() {
    NOTED;
    struct sigaction action = {};
    action.sa_handler = on_tick;
    sigaction(SIGALRM, &action, nullptr);
    struct itimerval every = {{0, 500}, {0, 500}}, never = {};
    setitimer(ITIMER_REAL, &every, nullptr);
    while (ticks < 300 && !failed)
        sink = (char)unnoted(20);
    setitimer(ITIMER_REAL, &never, nullptr);
}

// ---- other stacks ----

OURS static void everything(const char *what) {
    NOTED;
    check(what);
    recursion(40);
    large_frame(what, check);
    variable_frame(1000);
    aligned_frame(1000);
    many_arguments(1, 2, 3, 4, 5, 6, 7, 8, 9.0, 10);
    callbacks();
    Derived derived;
    static_cast<Base *>(&derived)->call();
    exceptions();
    jumps();
    signals(0);
    signals(SA_ONSTACK);
    check(what);
}

static thread_local ucontext_t here, there;

OURS static void coroutine() {
    NOTED;
    everything("coroutine");
}

OURS static void coroutines() {
    size_t depth = notes.depth; // the new stack does not contain the earlier frames
    notes.depth = 0;
    getcontext(&there);
    there.uc_stack.ss_size = 4 << 20;
    there.uc_stack.ss_sp = malloc(there.uc_stack.ss_size);
    there.uc_link = &here;
    makecontext(&there, coroutine, 0);
    swapcontext(&here, &there);
    free(there.uc_stack.ss_sp);
    notes.depth = depth;
}

OURS static void *thread(void *what) {
    NOTED;
    everything((const char *)what);
    larger_frame();
    coroutines();
    return nullptr;
}

OURS static void threads() {
    pthread_t threads[4];
    for (pthread_t &one : threads)
        pthread_create(&one, nullptr, thread, (void *)"thread");
    for (pthread_t &one : threads)
        pthread_join(one, nullptr);
}

OURS static int in_child() {
    NOTED;
    pid_t child = fork();
    if (child == 0) {
        everything("child");
        fflush(stdout);
        _exit(failed);
    }
    int status = 1;
    waitpid(child, &status, 0);
    return status;
}

OURS static void at_exit() {
    NOTED;
    check("atexit");
    printf("%u walks\n", checks);
    fflush(stdout);
    _exit(failed);
}

int main() {
    everything("main");
    larger_frame();
    coroutines();
    interrupted();
    failed |= in_child() != 0;
    threads();
    atexit(at_exit);
    exit(0);
}
