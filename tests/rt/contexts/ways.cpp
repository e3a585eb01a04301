/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// All ways in which a call reaches an allocation and in which it is left. Each from at least two places, so that a
// mixed-up context is noticed.
#include <algorithm>
#include <alloca.h>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <pthread.h>
#include <string>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

#define APART __attribute__((noinline))
#define HERE  __asm__ volatile("")

typedef void *callback(size_t);
extern "C" void library_left(callback **, int, size_t), library_right(callback **, int, size_t);
extern "C" void *library_tail(callback *, callback *, size_t), *library_allocates(size_t);

APART static void *take(size_t bytes) {
    void *p = malloc(bytes);
    HERE;
    return p;
}

APART static void use(size_t bytes) {
    free(take(bytes));
    HERE;
}

APART static void use_twice(size_t bytes) {
    use(bytes);
    use(bytes + 1);
    HERE;
}

// ---- Recursion.

APART static void *deeply(int depth, size_t bytes) {
    void *p = depth ? deeply(depth - 1, bytes) : take(bytes);
    HERE;
    return p;
}

APART static void tree(int depth) {
    free(take(8));
    if (depth) {
        tree(depth - 1);
        tree(depth - 1);
    }
    HERE;
}

// ---- Frames of variable size.

APART static void with_room(size_t room) {
    char *memory = (char *)alloca(room);
    memory[0] = 1;
    __asm__ volatile("" ::"r"(memory));
    use(40);
    HERE;
}

// ---- Tail calls.

APART static void *last(size_t bytes) {
    void *p = malloc(bytes);
    HERE;
    return p;
}

APART static void *before_last(size_t bytes) {
    free(take(7));
    return last(bytes);
}

static callback *volatile by_pointer[] = {last, before_last, take};

APART static void *jump(size_t bytes, int which) {
    if (which > 2)
        free(take(9));
    return by_pointer[which % 3](bytes);
}

// ---- Callbacks.

APART static void *called_back(size_t bytes) {
    use(bytes);
    return take(bytes);
}

APART static void *called_back_again(size_t bytes) {
    void *p = take(bytes);
    HERE;
    return p;
}

static int compare(const void *a, const void *b) {
    use(24);
    return *(const int *)a - *(const int *)b;
}

APART static void sort(int count) {
    std::vector<int> all;
    for (int i = 0; i < count; i++)
        all.push_back(i * 7919 % count);
    qsort(all.data(), all.size(), sizeof(int), compare);
    HERE;
}

APART static void library() {
    callback *all[] = {called_back, called_back_again, last, called_back};
    library_left(all, 4, 32);
    library_right(all, 4, 32);
    for (int i = 0; i < 3; i++) {
        free(library_tail(called_back, called_back_again, 48));
        free(library_tail(called_back_again, last, 48));
        free(library_allocates(56));
    }
}

// ---- Signals.

static void on_signal(int) {
    use_twice(64);
    HERE;
}

static void on_signal_told(int, siginfo_t *, void *) {
    use(72);
    HERE;
}

static volatile sig_atomic_t rounds;

static void on_timer(int) {
    free(malloc(80));
    rounds = rounds + 1;
}

APART static void interrupted(int times) {
    for (int i = 0; i < times; i++) {
        use(88);
        raise(i % 2 ? SIGUSR1 : SIGUSR2);
        use(88);
    }
}

APART static void timed() {
    struct itimerval often = {{0, 1000}, {0, 1000}}, never = {};
    setitimer(ITIMER_REAL, &often, nullptr);
    while (rounds < 50) {
        use_twice(96);
        free(jump(96, 4));
    }
    setitimer(ITIMER_REAL, &never, nullptr);
}

static void signals() {
    struct sigaction told = {};
    told.sa_sigaction = on_signal_told;
    told.sa_flags = SA_SIGINFO;
    signal(SIGUSR1, on_signal);
    sigaction(SIGUSR2, &told, nullptr);
    interrupted(3);
}

// ---- Jumps and exceptions.

static jmp_buf back;

APART static void leave_by_jump(int depth) {
    use(104);
    if (!depth)
        longjmp(back, 1);
    leave_by_jump(depth - 1);
    HERE;
}

APART static void jumps(int depth) {
    if (!setjmp(back))
        leave_by_jump(depth);
    use(112);
    HERE;
}

struct Guard {
    size_t bytes;
    ~Guard() {
        use(bytes);
    }
};

APART static void leave_by_exception(int depth) {
    Guard guard = {static_cast<size_t>(120 + depth)};
    use(120);
    if (!depth)
        throw std::string("a text that is longer than what stands within the object");
    leave_by_exception(depth - 1);
    HERE;
}

APART static void exceptions(int depth) {
    try {
        leave_by_exception(depth);
    } catch (const std::string &text) {
        use(text.size());
    }
    use(128);
}

// ---- Coroutines of C.

static ucontext_t outside, inside[2];
static char stacks[2][65536];

static void coroutine(int number) {
    for (int i = 0; i < 3; i++) {
        use_twice(136);
        swapcontext(&inside[number], &outside);
        number ? use(144) : use_twice(144);
    }
    swapcontext(&inside[number], &outside);
}

static void coroutines() {
    for (int i = 0; i < 2; i++) {
        getcontext(&inside[i]);
        inside[i].uc_stack.ss_sp = stacks[i];
        inside[i].uc_stack.ss_size = sizeof stacks[i];
        makecontext(&inside[i], (void (*)())coroutine, 1, i);
    }
    for (int i = 0; i < 8; i++) {
        use(152);
        swapcontext(&outside, &inside[i % 2]);
        use_twice(152);
    }
}

// ---- Threads and processes.

static void *thread(void *bytes) {
    for (int i = 0; i < 3; i++) {
        use_twice((size_t)bytes);
        free(jump(160, i));
    }
    return nullptr;
}

static void threads() {
    for (int round = 0; round < 2; round++) {
        pthread_t all[2];
        for (size_t i = 0; i < 2; i++)
            pthread_create(&all[i], nullptr, thread, (void *)(size_t)160);
        for (pthread_t one : all)
            pthread_join(one, nullptr);
    }
}

static void processes() {
    pid_t child = fork();
    use_twice(168);
    if (child == 0)
        _exit(0);
    waitpid(child, nullptr, 0);
    child = vfork();
    if (child == 0) {
        use(176);
        _exit(0);
    }
    use(176);
}

// ---- Allocations of the library on behalf of a line.

APART static void formatted(int count) {
    for (int i = 0; i < count; i++) {
        char *text;
        if (asprintf(&text, "%d", i) > 0)
            free(text);
        free(strdup("text"));
        void *p = realloc(malloc(10), 1000 + i);
        free(p);
        std::string longer(100 + i, 'x');
        longer += longer;
        std::function<void()> call = [longer] { use(longer.size()); };
        call();
        std::make_shared<std::vector<int>>(10)->push_back(1);
    }
#pragma clang loop unroll(full)
    for (int i = 0; i < 4; i++) {
        char *text;
        if (asprintf(&text, "%d", i) > 0)
            free(text);
    }
}

static std::string global(200, 'g');

static void at_end() {
    use_twice(184);
}

int main(int count, char **) {
    signal(SIGALRM, on_timer);
    if (count > 1)
        timed();
    for (int i = 0; i < 2; i++) {
        free(deeply(3000, 16));
        free(deeply(300 + i, 16));
        tree(5);
        for (size_t room = 16; room < 100; room += 32)
            with_room(room);
        for (int which = 0; which < 6; which++) {
            free(jump(80, which));
            free(jump(81, which));
        }
        sort(50 + i);
        library();
        library();
        signals();
        jumps(i);
        jumps(i + 3);
        exceptions(i);
        exceptions(i + 2);
        coroutines();
        threads();
        processes();
        formatted(i + 2);
        use_twice(8);
        use_twice(8);
    }
    atexit(at_end);
    puts("done");
    return 3;
}
