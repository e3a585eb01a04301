/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program of which a snapshot is taken while it waits or works, and which prints any effect that it
 * notices. argv[1]: its activity; argv[2]: its size in MiB; argv[3]: destination, if it takes the snapshot
 * itself in another thread. It ends after the signal USR1 or a byte on standard input, and prints everything
 * that differs from a run without a snapshot. */
#include <allocsite.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct held {
    struct held *next;
    char bytes[(1 << 20) - 8];
};

struct apart {
    struct held *held;
};

static struct held *all;
static _Alignas(4096) struct apart *apart[4096 / sizeof(struct apart *)]; /* not inherited by children */
static volatile sig_atomic_t usr1_count, ticks;
static atomic_int queued;
static sigset_t usr1, without_usr1;

static void on_usr1(int signal) {
    usr1_count += signal == SIGUSR1;
}

static void tick(int signal) {
    (void)signal;
    ticks++;
}

static void count(int signal) {
    (void)signal;
    atomic_fetch_add(&queued, 1);
}

static void handle(int signal, void (*handler)(int), int flags) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigaction(signal, &action, NULL);
}

static void check(const char *what, long is, long should_be) {
    if (is != should_be)
        printf("%s: %ld (%s), not %ld\n", what, is, is < 0 ? strerror(errno) : "", should_be);
}

static bool is_input(void) {
    struct pollfd input = {.fd = 0, .events = POLLIN};
    return poll(&input, 1, 0) > 0;
}

static void hold(size_t count) {
    while (count--) {
        struct held *held = malloc(sizeof *held);
        memset(held, 1, sizeof *held);
        held->next = all;
        all = held;
    }
}

/* ---- Activities. */

static void do_read(void) {
    char byte;
    check("read", read(0, &byte, 1), 1);
}

static void do_nanosleep(void) {
    struct timespec before, after, time = {5, 0};
    clock_gettime(CLOCK_MONOTONIC, &before);
    check("nanosleep", nanosleep(&time, NULL), 0);
    clock_gettime(CLOCK_MONOTONIC, &after);
    check("slept", after.tv_sec - before.tv_sec + (after.tv_nsec - before.tv_nsec >= 0 ? 0 : -1) >= 5, 1);
}

static int epoll_of_input(void) {
    struct epoll_event event = {.events = EPOLLIN};
    int set = epoll_create1(0);
    epoll_ctl(set, EPOLL_CTL_ADD, 0, &event);
    return set;
}

static void do_epoll(void) {
    struct epoll_event event;
    check("epoll_wait", epoll_wait(epoll_of_input(), &event, 1, -1), 1);
}

/* A signal with a handler ends epoll_wait even with SA_RESTART. */
static void do_epoll_signal(void) {
    struct epoll_event event;
    handle(SIGUSR1, on_usr1, SA_RESTART);
    check("epoll_wait", epoll_wait(epoll_of_input(), &event, 1, -1), -1);
    check("errno", errno, EINTR);
    check("signals received", usr1_count, 1);
}

static void do_epoll_pwait(void) {
    struct epoll_event event;
    handle(SIGUSR1, on_usr1, 0);
    sigprocmask(SIG_BLOCK, &usr1, NULL);
    check("epoll_pwait", epoll_pwait(epoll_of_input(), &event, 1, -1, &without_usr1), -1);
    check("errno", errno, EINTR);
    check("signals received", usr1_count, 1);
}

static void do_sigsuspend(void) {
    handle(SIGUSR1, on_usr1, 0);
    sigprocmask(SIG_BLOCK, &usr1, NULL);
    sigsuspend(&without_usr1);
    check("signals received", usr1_count, 1);
}

static void do_sigwait(void) {
    sigprocmask(SIG_BLOCK, &usr1, NULL);
    check("sigwaitinfo", sigwaitinfo(&usr1, NULL), SIGUSR1);
}

static void do_pause(void) {
    handle(SIGUSR1, on_usr1, SA_RESTART);
    pause();
    check("signals received", usr1_count, 1);
}

static void do_poll(void) {
    struct pollfd input = {.fd = 0, .events = POLLIN};
    check("poll", poll(&input, 1, 60000), 1);
}

static void *release(void *set) {
    struct sembuf up = {.sem_op = 1};
    while (!is_input())
        usleep(1000);
    check("semop", semop(*(int *)set, &up, 1), 0);
    return NULL;
}

static void do_semop(void) {
    struct sembuf down = {.sem_op = -1};
    int set = semget(IPC_PRIVATE, 1, 0600);
    pthread_t other;
    pthread_create(&other, NULL, release, &set);
    check("semop", semop(set, &down, 1), 0);
    pthread_join(other, NULL);
    semctl(set, 0, IPC_RMID);
}

/* With a timeout the call is not restarted. */
static void do_recv(void) {
    struct timeval time = {60, 0};
    char byte;
    setsockopt(0, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
    check("recv", recv(0, &byte, 1, 0), 1);
}

static uint64_t step(uint64_t value) {
    return value * 6364136223846793005 + 1442695040888963407;
}

/* Uses registers of all kinds: two calls must return the same. */
static double work(uint64_t *sum) {
    double product = 1;
    *sum = 1;
    for (int i = 0; i < 20000000; i++) {
        *sum = step(*sum);
        product = product * 1.0000001 + (double)(*sum >> 60) * 0x1p-30;
    }
    return product;
}

static void do_compute(void) {
    uint64_t first, sum;
    double product = work(&first);
    for (long i = 0; i < 1000 && !is_input(); i++) {
        check("the product", work(&sum) == product, 1);
        check("the sum", sum == first, 1);
    }
}

static void do_timer(void) {
    struct itimerval time = {{0, 500}, {0, 500}};
    handle(SIGALRM, tick, SA_RESTART);
    setitimer(ITIMER_REAL, &time, NULL);
    do_compute();
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    check("ticked", ticks > 10, 1);
}

/* So many signals that one is nearly always pending. */
static void do_storm(void) {
    pid_t parent = getpid();
    handle(SIGUSR2, tick, SA_RESTART);
    pid_t child = fork();
    while (!child && kill(parent, SIGUSR2) == 0)
        ;
    do_compute();
    if (child > 0)
        kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

/* All queued signals are handled, none twice. */
static void do_queued(void) {
    handle(SIGRTMIN, count, SA_RESTART);
    puts("ready");
    fflush(stdout);
    for (int i = 0; i < 2000; i++) {
        while (sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = i}) != 0)
            usleep(100);
        usleep(500);
    }
    while (!is_input())
        usleep(1000);
    check("handled", atomic_load(&queued), 2000);
}

static void *wait_for_children(void *unused) {
    for (int i = 0; i < 1000 && !is_input(); i++) {
        int status;
        check("no child", waitpid(-1, NULL, i % 2 ? WNOHANG : 0), -1);
        check("errno", errno, ECHILD);
        pid_t child = fork();
        if (!child)
            _exit(7);
        check("wait", wait(&status), child);
        check("status", WEXITSTATUS(status), 7);
    }
    return unused;
}

static void do_wait(void) {
    handle(SIGCHLD, tick, SA_RESTART);
    wait_for_children(NULL);
}

static void *compute(void *unused) {
    do_compute();
    return unused;
}

static void *sleep_on(void *unused) {
    struct timespec time = {0, 1000000};
    while (!is_input())
        check("nanosleep", nanosleep(&time, NULL), 0);
    return unused;
}

static void *wait_on(void *unused) {
    do_epoll();
    return unused;
}

static void do_threads(void) {
    void *(*const each[])(void *) = {compute, sleep_on, wait_on, sleep_on, wait_on};
    pthread_t threads[5];
    for (int i = 0; i < 5; i++)
        pthread_create(&threads[i], NULL, each[i], NULL);
    for (int i = 0; i < 5; i++)
        pthread_join(threads[i], NULL);
}

static void *take(void *path) {
    usleep(200000);
    check("allocsite_graph", allocsite_graph(path), 0);
    puts("taken");
    fflush(stdout);
    return NULL;
}

static const struct {
    const char *name;
    void (*call)(void);
} deeds[] = {
    {"read", do_read},
    {"nanosleep", do_nanosleep},
    {"epoll", do_epoll},
    {"epoll_signal", do_epoll_signal},
    {"epoll_pwait", do_epoll_pwait},
    {"sigsuspend", do_sigsuspend},
    {"sigwait", do_sigwait},
    {"pause", do_pause},
    {"poll", do_poll},
    {"semop", do_semop},
    {"recv", do_recv},
    {"compute", do_compute},
    {"timer", do_timer},
    {"storm", do_storm},
    {"queued", do_queued},
    {"wait", do_wait},
    {"threads", do_threads},
};

/* Returns the resource usage by which a program would notice that it was copied. */
static long memory_of_children(void) {
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return usage.ru_maxrss / 1024;
}

int main(int count, char **arguments) {
    pthread_t taker;
    if (count < 3)
        return 1;
    sigemptyset(&without_usr1);
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    hold((size_t)atoi(arguments[2]));
    apart[1] = malloc(sizeof *apart[1]);
    apart[1]->held = all;
    madvise(apart, sizeof apart, MADV_DONTFORK);
    if (count > 3)
        pthread_create(&taker, NULL, take, arguments[3]);
    puts("ready");
    fflush(stdout);
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++)
        if (strcmp(deeds[i].name, arguments[1]) == 0)
            deeds[i].call();
    if (count > 3)
        pthread_join(taker, NULL);
    check("no child", waitpid(-1, NULL, WNOHANG), -1);
    printf("children %ld\n", memory_of_children());
    return 0;
}
