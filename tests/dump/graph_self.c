/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program that takes snapshots of itself while other threads allocate, hold blocks on their stacks and in
 * TLS, and wait. argv[1]: destination. Prints errors, or "done". */
#include <allocsite.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct node {
    struct node *next;
    long value;
};

struct on_stack {
    struct node *nodes;
};

struct in_main {
    long number;
};

struct in_thread {
    struct node *nodes;
};

static struct node *list;
_Thread_local struct in_thread *in_thread;
static atomic_bool ready, end;
static int waiting[2];

static struct node *make_list(size_t count) {
    struct node *first = NULL;
    while (count--) {
        struct node *node = malloc(sizeof *node);
        *node = (struct node){first, (long)count};
        first = node;
    }
    return first;
}

static void *hold(void *unused) {
    struct on_stack *volatile held = malloc(sizeof *held);
    char byte;
    held->nodes = make_list(3);
    in_thread = malloc(sizeof *in_thread);
    in_thread->nodes = make_list(4);
    atomic_store(&ready, true);
    while (read(waiting[0], &byte, 1) < 0 && errno == EINTR)
        ;
    return unused;
}

static void *churn(void *unused) {
    while (!atomic_load(&end)) {
        struct node *nodes = make_list(50);
        while (nodes) {
            struct node *next = nodes->next;
            free(nodes);
            nodes = next;
        }
    }
    return unused;
}

static void check(const char *what, size_t is, size_t should_be) {
    if (is != should_be)
        printf("%s: %zu, not %zu\n", what, is, should_be);
}

static void check_sizes(void) {
    struct node *other = make_list(2);
    check("a list", allocsite_deep_size(list), 10 * sizeof *list);
    check("its rest, from within", allocsite_deep_size(&list->next->value), 9 * sizeof *list);
    other->next->next = other;
    check("a cycle", allocsite_deep_size(other), 2 * sizeof *other);
    check("no block", allocsite_deep_size(&list), 0);
    check("NULL", allocsite_deep_size(NULL), 0);
    free(other->next);
    free(other);
    check("a block that is freed", allocsite_deep_size(other), 0);
}

int main(int count, char **arguments) {
    pthread_t holder, churner;
    struct allocsite_totals before, after;
    if (count < 2 || pipe(waiting) != 0)
        return 1;
    list = make_list(10);
    pthread_create(&holder, NULL, hold, NULL);
    while (!atomic_load(&ready))
        sched_yield();
    allocsite_totals(&before);
    errno = 77;
    check_sizes();
    struct in_main *volatile in_main = malloc(sizeof *in_main);
    check("the graph", (size_t)allocsite_graph(arguments[1]), 0);
    check("errno", (size_t)errno, 77);
    allocsite_totals(&after);
    check("allocations", after.allocs, before.allocs + 3);
    check("children", waitpid(-1, NULL, WNOHANG) < 0 ? (size_t)errno : 0, ECHILD);
    pthread_create(&churner, NULL, churn, NULL);
    for (int i = 0; i < 20; i++)
        check("a graph among threads", (size_t)allocsite_graph(arguments[1]), 0);
    raise(SIGUSR2);
    check("no such directory", (size_t)allocsite_graph("/nowhere/at/all"), ENOENT);
    free(in_main);
    atomic_store(&end, true);
    pthread_join(churner, NULL);
    check("the end", (size_t)write(waiting[1], "", 1), 1);
    pthread_join(holder, NULL);
    puts("done");
    return 0;
}
