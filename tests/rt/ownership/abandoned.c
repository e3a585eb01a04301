/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads that leave the allocator at any instruction while others continue. All exceed the peak again and again, so
 * the runtime has to measure it. Needs recycler.c as its malloc.
 *
 *     abandoned jump|cancel TIMES
 *
 * jump: a timer's handler leaves by siglongjmp, TIMES times. cancel: TIMES threads are cancelled asynchronously.
 * Blocks that were being freed are not touched again; in the end LEFT bytes are allocated and stay. Prints
 * "done". */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LEFT   (64 << 20)
#define BLOCKS 64

static atomic_long jumps;
static atomic_bool stop;
static long wanted;
static __thread sigjmp_buf out;
static __thread volatile sig_atomic_t may_leave;

__attribute__((noinline)) static void *allocate(size_t size) {
    return malloc(size); /* the site */
}

/* Rises a little higher each time, so that the peak is measured all the time. */
static void rise_and_fall(long round) {
    void *blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = allocate((size_t)(1 + (round + i) % 112));
    for (int i = 0; i < BLOCKS; i++)
        if (i != round % BLOCKS)
            free(blocks[i]);
}

static void leave(int signal) {
    (void)signal;
    if (!may_leave)
        return;
    may_leave = 0;
    siglongjmp(out, 1);
}

static void set_timer(timer_t timer, long nanoseconds) {
    struct itimerspec time = {.it_value = {.tv_nsec = nanoseconds}};
    timer_settime(timer, 0, &time, NULL);
}

/* One timer signal after the other, for this thread only. */
static void *jump(void *unused) {
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN};
    event._sigev_un._tid = (int)syscall(SYS_gettid);
    timer_t timer;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    for (volatile long round = 0; jumps < wanted; round++) {
        if (sigsetjmp(out, 1)) {
            jumps++;
            continue;
        }
        may_leave = 1;
        set_timer(timer, 20000 + round * 7919 % 100000);
        for (long i = 0; i < 1000000; i++)
            rise_and_fall(i + round);
        may_leave = 0;
    }
    set_timer(timer, 0);
    timer_delete(timer);
    return unused;
}

static void *go_on(void *unused) {
    for (long round = 0; !stop; round++)
        rise_and_fall(round);
    return unused;
}

static void *be_cancelled(void *unused) {
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (long round = 0;; round++)
        rise_and_fall(round);
    return unused;
}

static void jump_in_threads(void) {
    struct sigaction action = {.sa_handler = leave};
    sigaction(SIGRTMIN, &action, NULL);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, jump, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

static void cancel_threads(void) {
    for (long i = 0; i < wanted; i++) {
        pthread_t thread;
        struct timespec time = {.tv_nsec = 20000 + i * 7919 % 100000};
        pthread_create(&thread, NULL, be_cancelled, NULL);
        nanosleep(&time, NULL);
        pthread_cancel(thread);
        pthread_join(thread, NULL);
    }
}

int main(int count, char **arguments) {
    pthread_t other;
    if (count != 3)
        return 2;
    wanted = atol(arguments[2]);
    pthread_create(&other, NULL, go_on, NULL);
    if (strcmp(arguments[1], "jump") == 0)
        jump_in_threads();
    else
        cancel_threads();
    stop = true;
    pthread_join(other, NULL);
    for (int i = 0; i < LEFT >> 20; i++)
        memset(allocate(1 << 20), 1, 1);
    puts("done");
    return 3;
}
