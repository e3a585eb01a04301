/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Executes a command of its input after the other, and keeps books of what it allocates. Each line of its
 * output is the sums since the last `0`: allocs, their bytes, reallocs, their bytes, frees, moved. Blocks
 * from before that moment are not in the books when they are freed or moved. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

struct books {
    unsigned long allocs, alloc_bytes, reallocs, realloc_bytes, frees, moved;
};

static struct books books;
static void *old, *old_grown; /* from before */
static void *(*opened_alloc)(size_t);
static void *(*copied_malloc)(size_t); /* the address of malloc, in a variable */
static void (*opened_free)(void *);

static void *noted(void *p, size_t size) {
    __atomic_fetch_add(&books.allocs, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&books.alloc_bytes, size, __ATOMIC_RELAXED);
    return p;
}

static void note_realloc(size_t size, int is_known) {
    __atomic_fetch_add(&books.reallocs, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&books.realloc_bytes, size, __ATOMIC_RELAXED);
    __atomic_fetch_add(&books.moved, is_known, __ATOMIC_RELAXED);
}

static void release(void *p) {
    __atomic_fetch_add(&books.frees, 1, __ATOMIC_RELAXED);
    free(p);
}

#ifdef __cplusplus
#include <new>

struct alignas(64) Wide {
    char bytes[128];
};

static void allocate_more(void) {
    int *one = (int *)noted(new int, sizeof(int)), *many = (int *)noted(new int[10], 40);
    Wide *wide = (Wide *)noted(new Wide, sizeof(Wide));
    char *quiet = (char *)noted(new (std::nothrow) char[77], 77);
    asm volatile("" : : "r"(one), "r"(many), "r"(wide), "r"(quiet) : "memory");
    delete one;
    delete[] many;
    delete wide;
    books.frees += 3;
}
#else
static void allocate_more(void) {}
#endif

static void allocate(void) {
    void *aligned = NULL;
    void *a = noted(malloc(100), 100), *b = noted(calloc(7, 9), 63), *c = noted(aligned_alloc(64, 128), 128);
    char *text = (char *)noted(strdup("twelve bytes"), 13);
    if (posix_memalign(&aligned, 128, 50) == 0)
        noted(aligned, 50);
    b = realloc(b, 5000);
    note_realloc(5000, 1);
    release(a);
    release(b);
    release(text);
    asm volatile("" : : "r"(c), "r"(aligned) : "memory");
    allocate_more();
}

static void use_old(void) {
    free(old);
    old = NULL;
    old_grown = realloc(old_grown, 3000);
    note_realloc(3000, 0);
}

static void use_opened(void) {
    void *handle = dlopen("./opened.so", RTLD_NOW);
    if (handle) {
        opened_alloc = (void *(*)(size_t))(uintptr_t)dlsym(handle, "opened_alloc");
        opened_free = (void (*)(void *))(uintptr_t)dlsym(handle, "opened_free");
    }
    void *p = noted(opened_alloc(333), 333);
    noted(opened_alloc(444), 444);
    opened_free(p);
    books.frees++;
}

static void *work(void *unused) {
    for (int i = 0; i < 1000; i++) {
        void *p = noted(malloc(i), i);
        if (i % 3 == 0) {
            p = realloc(p, i + 1);
            note_realloc(i + 1, 1);
        }
        if (i % 4)
            release(p);
    }
    return unused;
}

/* Threads are not freed, because the C library allocates for them. */
static pthread_barrier_t begin, end;

static void *wait_and_work(void *unused) {
    for (;;) {
        pthread_barrier_wait(&begin);
        work(unused);
        pthread_barrier_wait(&end);
    }
}

static void fork_one(void) {
    pid_t child = fork();
    int status;
    if (child == 0) {
        for (int i = 0; i < 100; i++)
            free(malloc(i));
        free(realloc(old_grown, 9999));
        _exit(7);
    }
    waitpid(child, &status, 0);
    if (WEXITSTATUS(status) != 7)
        puts("the child failed");
}

static volatile sig_atomic_t handled;

static void handle(int number) {
    (void)number;
    handled = 1;
}

int main(int count, char **arguments) {
    int threads = count > 1 ? atoi(arguments[1]) : 0;
    char command[16];
    pthread_t thread;
    static char buffer[4096];
    setvbuf(stdout, buffer, _IOLBF, sizeof buffer);
    pthread_barrier_init(&begin, NULL, threads + 1);
    pthread_barrier_init(&end, NULL, threads + 1);
    old = malloc(1234);
    old_grown = malloc(77);
    for (int i = 0; i < threads; i++)
        pthread_create(&thread, NULL, wait_and_work, NULL);
    if (count > 2) {
        struct itimerval often = {{0, 1000}, {0, 1000}};
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_handler = handle;
        action.sa_flags = SA_RESTART;
        sigaction(SIGALRM, &action, NULL);
        setitimer(ITIMER_REAL, &often, NULL);
    }
    for (ssize_t size; (size = read(STDIN_FILENO, command, 1)) > 0;) {
        switch (command[0]) {
        case '0':
            memset(&books, 0, sizeof books);
            break;
        case 'a':
            allocate();
            break;
        case 'o':
            use_old();
            break;
        case 'd':
            use_opened();
            break;
        case 'f':
            fork_one();
            break;
        case 't':
            pthread_barrier_wait(&begin);
            pthread_barrier_wait(&end);
            break;
        case 'c':
            copied_malloc = (void *(*)(size_t))(uintptr_t)dlsym(RTLD_DEFAULT, "malloc");
            break;
        case 'm':
            free(copied_malloc(10));
            break;
        case 'e':
            exit(5);
        case 'u':
            _exit(6);
        case 'k':
            abort();
        case 'x':
            execl("/bin/cat", "cat", (char *)NULL);
            break;
        }
        printf("%lu %lu %lu %lu %lu %lu\n", books.allocs, books.alloc_bytes, books.reallocs,
               books.realloc_bytes, books.frees, books.moved);
    }
    puts("bye");
    return 3;
}
