/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Which live blocks are lost: pointers that other threads hold, and that these are not disturbed.
#include "reach_blocks.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

// ---- a thread that holds a block in one place and waits ----

struct holder {
    hidden block;
    void (*hold)(struct holder *);
    pthread_t thread;
    atomic_bool ready, stop;
    int wait[2];
};

static void holder_wait(struct holder *holder) {
    char byte;
    atomic_store(&holder->ready, true);
    while (read(holder->wait[0], &byte, 1) < 0 && errno == EINTR)
        ;
}

static void *holder_run(void *argument) {
    struct holder *holder = argument;
    holder->hold(holder);
    return NULL;
}

static void holder_begin(struct holder *holder, void (*hold)(struct holder *)) {
    memset(holder, 0, sizeof *holder);
    holder->block = add(48);
    holder->hold = hold;
    assert_int_equal(pipe(holder->wait), 0);
    assert_int_equal(pthread_create(&holder->thread, NULL, holder_run, holder), 0);
    while (!atomic_load(&holder->ready))
        sched_yield();
    usleep(10000);
}

static void holder_end(struct holder *holder) {
    atomic_store(&holder->stop, true);
    assert_int_equal(write(holder->wait[1], "", 1), 1);
    pthread_join(holder->thread, NULL);
    close(holder->wait[0]);
    close(holder->wait[1]);
}

static void check_holder(void (*hold)(struct holder *), size_t want) {
    struct holder holder;
    holder_begin(&holder, hold);
    assert_int_equal(found_now().count, want);
    holder_end(&holder);
    assert_int_equal(found_now().count, 1);
    drop(holder.block);
}

// ---- places ----

static __thread void *volatile thread_local;

static void hold_nowhere(struct holder *holder) {
    holder_wait(holder);
}

static void hold_on_stack(struct holder *holder) {
    void *volatile on_stack = seen(holder->block);
    holder_wait(holder);
    assert_non_null(on_stack);
}

static void hold_in_thread_memory(struct holder *holder) {
    thread_local = seen(holder->block);
    clear_stack();
    holder_wait(holder);
}

static void hold_in_key(struct holder *holder) {
    pthread_key_t key;
    pthread_key_create(&key, NULL);
    pthread_setspecific(key, seen(holder->block));
    clear_stack();
    holder_wait(holder);
    pthread_key_delete(key);
}

static struct holder *on_other_stack;

static void wait_on_other_stack(void) {
    holder_wait(on_other_stack);
}

static void hold_on_the_stack_left(struct holder *holder) {
    void *volatile on_stack = seen(holder->block);
    static ucontext_t back, other;
    const size_t size = 65536;
    getcontext(&other);
    other.uc_stack.ss_sp = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    other.uc_stack.ss_size = size;
    other.uc_link = &back;
    on_other_stack = holder;
    makecontext(&other, wait_on_other_stack, 0);
    swapcontext(&back, &other);
    munmap(other.uc_stack.ss_sp, size);
    assert_non_null(on_stack);
}

static void other_threads_reach(void **state) {
    (void)state;
    check_holder(hold_nowhere, 1);
    check_holder(hold_on_stack, 0);
    check_holder(hold_in_thread_memory, 0);
    check_holder(hold_in_key, 0);
    check_holder(hold_on_the_stack_left, 0);
}

// The loops keep the address nowhere else.
static void hold_in_register(struct holder *holder) {
    atomic_store(&holder->ready, true);
    __asm__ volatile("movq %1, %%r13; notq %%r13; 1: pause; cmpb $0, %0; je 1b; xorl %%r13d, %%r13d"
                     :
                     : "m"(holder->stop), "r"(holder->block)
                     : "r13", "cc", "memory");
}

static void hold_in_vector_register(struct holder *holder) {
    atomic_store(&holder->ready, true);
    __asm__ volatile("movq %1, %%rax; notq %%rax; movq %%rax, %%xmm9; pslldq $8, %%xmm9; xorl %%eax, %%eax;"
                     "1: pause; cmpb $0, %0; je 1b; pxor %%xmm9, %%xmm9"
                     :
                     : "m"(holder->stop), "r"(holder->block)
                     : "rax", "xmm9", "cc", "memory");
}

static void hold_in_red_zone(struct holder *holder) {
    atomic_store(&holder->ready, true);
    __asm__ volatile(
        "movq %1, %%rax; notq %%rax; subq $1024, %%rsp; movq %%rax, -128(%%rsp); xorl %%eax, %%eax;"
        "1: pause; cmpb $0, %0; je 1b; movq %%rax, -128(%%rsp); addq $1024, %%rsp"
        :
        : "m"(*(volatile char *)&holder->stop), "r"(holder->block)
        : "rax", "cc", "memory");
}

static void registers_of_other_threads_reach(void **state) {
    (void)state;
    check_holder(hold_in_register, 0);
    check_holder(hold_in_vector_register, 0);
    check_holder(hold_in_red_zone, 0);
}

// ---- that threads are not disturbed ----

static atomic_uint signals_taken;

static void take_signal(int signal) {
    (void)signal;
    atomic_fetch_add(&signals_taken, 1);
}

static void *send_signals(void *argument) {
    const struct holder *holder = argument;
    for (int i = 0; i < 2000; i++)
        while (pthread_sigqueue(holder->thread, SIGRTMIN, (union sigval){0}) == EAGAIN)
            sched_yield();
    return NULL;
}

// A thread may be stopped just when it takes a signal, which must come through all the same.
static void no_signal_is_lost(void **state) {
    (void)state;
    struct holder holder;
    pthread_t sender;
    signal(SIGRTMIN, take_signal);
    holder_begin(&holder, hold_nowhere);
    pthread_create(&sender, NULL, send_signals, &holder);
    for (int i = 0; i < 50; i++)
        assert_int_equal(found_now().count, 1);
    pthread_join(sender, NULL);
    holder_end(&holder);
    assert_int_equal(signals_taken, 2000);
    drop(holder.block);
}

static atomic_bool churning;

static void *end_at_once(void *unused) {
    return unused;
}

static void *churn(void *unused) {
    while (atomic_load(&churning)) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, end_at_once, NULL) == 0)
            pthread_join(thread, NULL);
    }
    return unused;
}

static void threads_come_and_go(void **state) {
    (void)state;
    pthread_t threads[4];
    hidden block = add(32);
    atomic_store(&churning, true);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, churn, NULL);
    for (int i = 0; i < 100; i++)
        assert_int_equal(found_now().count, 1);
    atomic_store(&churning, false);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    drop(block);
}

// ---- conditions in which a process of its own is needed ----

static int status_of(void (*run)(void)) {
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        run();
        _exit(99);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void *search_and_exit(void *first) {
    pthread_join(*(pthread_t *)first, NULL);
    struct found found;
    hidden block = add(32);
    _exit(search(&found) || !is_lost(&found, block) || found.count != 1);
}

static void end_the_first_thread(void) {
    static pthread_t first;
    pthread_t second;
    first = pthread_self();
    pthread_create(&second, NULL, search_and_exit, &first);
    pthread_exit(NULL);
}

static void the_first_thread_may_have_ended(void **state) {
    (void)state;
    assert_int_equal(status_of(end_the_first_thread), 0);
}

static const char *reason_with_thread(void) {
    static struct holder holder;
    static struct found found;
    holder_begin(&holder, hold_on_stack);
    const char *reason = search(&found);
    return found.count ? "told of a block" : reason;
}

static void search_while_traced(void) {
    ptrace(PTRACE_TRACEME);
    raise(SIGSTOP);
    const char *reason = reason_with_thread();
    _exit(!reason || !strstr(reason, "ptrace"));
}

// What a debugger does: it has all threads.
static void a_debugger_is_named(void **state) {
    (void)state;
    pid_t child = fork();
    if (child == 0)
        search_while_traced();
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSTOPPED(status));
    assert_int_equal(ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL), 0);
    pid_t id = child;
    int signal = 0;
    do {
        ptrace(PTRACE_CONT, id, 0, (long)signal);
        id = waitpid(-1, &status, __WALL);
        signal = WIFSTOPPED(status) && WSTOPSIG(status) != SIGTRAP && WSTOPSIG(status) != SIGSTOP
                     ? WSTOPSIG(status)
                     : 0;
    } while (id > 0 && !(id == child && WIFEXITED(status)));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void *wait_in_vfork(void *ends) {
    if (vfork() == 0) {
        char byte;
        close(((int *)ends)[1]);
        (void)!read(((int *)ends)[0], &byte, 1);
        _exit(0);
    }
    return NULL;
}

static void search_beside_vfork(void) {
    int ends[2];
    pthread_t thread;
    struct found found;
    (void)!pipe(ends);
    pthread_create(&thread, NULL, wait_in_vfork, ends);
    usleep(50000);
    const char *reason = search(&found);
    bool told = reason && strstr(reason, "waits in the kernel");
    (void)!write(ends[1], "", 1);
    pthread_join(thread, NULL);
    _exit(!told || search(&found));
}

// Such a thread cannot be stopped; the search must end all the same, and the thread run on.
static void a_thread_in_vfork_is_named(void **state) {
    (void)state;
    assert_int_equal(status_of(search_beside_vfork), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        REACH_TEST(other_threads_reach),
        REACH_TEST(registers_of_other_threads_reach),
        REACH_TEST(no_signal_is_lost),
        REACH_TEST(threads_come_and_go),
        REACH_TEST(the_first_thread_may_have_ended),
        REACH_TEST(a_debugger_is_named),
        REACH_TEST(a_thread_in_vfork_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
