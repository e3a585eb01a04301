/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs that run through a cycle of tail calls any number of times. Allocations of a cycle are called by functions
 * named after it, and run_NAME enters it. At -O1 clang makes no tail calls but musttail. */
#include <stdio.h>
#include <stdlib.h>

#define APART __attribute__((noinline))
#define HERE  __asm__ volatile("" ::: "memory")

enum { STEPS = 10000000, OFTEN = STEPS / 20 };

static void *volatile sink;
static volatile int answer;

APART static void last(long n) {
    sink = malloc((size_t)n % 100 + 1);
    free(sink);
    HERE;
}

/* Two functions of one type. */
APART int mutual_odd(int n);

APART int mutual_even(int n) {
    if (n % OFTEN == 0)
        last(n);
    return n ? mutual_odd(n - 1) : answer;
}

APART int mutual_odd(int n) {
    if (n % OFTEN == 1)
        last(n);
    return n ? mutual_even(n - 1) : answer;
}

APART static int run_mutual(int n) {
    int result = mutual_even(n);
    HERE;
    return result;
}

/* A threaded interpreter, whose operations have the type of signal handlers. */
typedef void operation(int);
static operation *const operations[3];

APART static void threaded_call(int n) {
    if (n % OFTEN == 0)
        last(n);
    if (n)
        operations[n % 3](n - 1);
}

APART static void threaded_jump(int n) {
    sink = NULL;
    if (n)
        operations[n % 3](n - 1);
}

APART static void threaded_block(int n) {
    if (n % OFTEN == 1) {
        sink = malloc(3);
        free(sink);
    }
    if (n)
        operations[n % 3](n - 1);
}

static operation *const operations[3] = {threaded_call, threaded_jump, threaded_block};

APART static void run_threaded(int n) {
    threaded_call(n);
    HERE;
}

/* State functions that return the next state. */
struct state;
typedef long state_of(struct state *, long, long, long);
struct state {
    state_of *const *next;
    long left;
};

APART static long machine_in(struct state *state, long a, long b, long c) {
    if (--state->left % OFTEN == 1)
        last(a);
    return state->left > 0 ? state->next[state->left % 2](state, b, c, a) : answer;
}

APART static long machine_out(struct state *state, long a, long b, long c) {
    if (--state->left % OFTEN == 0)
        last(b);
    return state->left > 0 ? state->next[state->left % 2](state, c, a, b) : answer;
}

static state_of *const states[] = {machine_in, machine_out};

APART static long run_machine(int n) {
    struct state state = {states, n};
    long result = machine_in(&state, 1, 2, 3);
    HERE;
    return result;
}

/* Three functions of three types. */
APART static long unlike_second(long n, char c);
APART static long unlike_third(const char *text, long n, char c);

APART static long unlike_first(long n) {
    if (n % OFTEN == 0)
        last(n);
    return n > 0 ? unlike_second(n - 1, (char)n) : answer;
}

APART static long unlike_second(long n, char c) {
    sink = &sink;
    return n > 0 ? unlike_third("abc", n - 1, c) : answer;
}

APART static long unlike_third(const char *text, long n, char c) {
    if (n % OFTEN == 2)
        last(text[1] + c);
    return n > 0 ? unlike_first(n - 1) : answer;
}

APART static long run_unlike(int n) {
    long result = unlike_first(n);
    HERE;
    return result;
}

/* One that the compiler turns into a loop. */
APART static long self_same(int n, long sum) {
    if (n % OFTEN == 0)
        last(n);
    return n ? self_same(n - 1, sum + n) : sum + answer;
}

APART static long run_self(int n) {
    long result = self_same(n, 0);
    HERE;
    return result;
}

/* musttail calls. */
APART static int must_back(int n);

APART static int must_forth(int n) {
    if (n % OFTEN == 0)
        last(n);
    if (!n)
        return answer;
    __attribute__((musttail)) return must_back(n - 1);
}

APART static int must_back(int n) {
    sink = malloc(5);
    free(sink);
    if (!n)
        return answer;
    __attribute__((musttail)) return must_forth(n - 1);
}

APART static int run_must(int n) {
    int result = must_forth(n);
    HERE;
    return result;
}

int main(void) {
    run_mutual(STEPS);
    run_threaded(STEPS);
    run_machine(STEPS);
    run_unlike(STEPS);
    run_self(STEPS);
    run_must(STEPS / 10);
    puts("done");
    return 3;
}
