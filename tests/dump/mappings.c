/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Maps memory in all ways and keeps its own books: "LINE LIVE BYTES CALLS RESIDENT" for each line that maps.
 * Then waits for the end of its input. Arguments: "threads": several threads map and unmap at random and
 * leave nothing; "fork": a child unmaps what its parent mapped; "parts": leaves a known amount of memory of
 * each kind, and prints the resident set. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, READ_WRITE = PROT_READ | PROT_WRITE, OWN = MAP_PRIVATE | MAP_ANONYMOUS };

/* Returns the resident bytes, as the kernel counts them. */
static size_t resident(const char *p, size_t size) {
    unsigned char pages[4096];
    size_t count = 0;
    if (mincore((void *)p, size, pages))
        return 0;
    for (size_t i = 0; i < size / PAGE; i++)
        count += pages[i] & 1;
    return count * PAGE;
}

static void note(int line, size_t live, size_t bytes, size_t calls, size_t in_memory) {
    printf("%d %zu %zu %zu %zu\n", line, live, bytes, calls, in_memory);
}

static char *touch(char *p, size_t size) {
    memset(p, 1, size);
    __asm__ volatile("" ::"r"(p) : "memory");
    return p;
}

static __attribute__((noinline)) char *map(size_t pages) {
    return mmap(NULL, pages * PAGE, READ_WRITE, OWN, -1, 0);
}

static void all_ways(const char *self) {
    int line;
#define AT(call) (line = __LINE__, call)
    char *kept = AT(mmap(NULL, 100 * PAGE - 5, READ_WRITE, OWN, -1, 0)), *moved, *p;
    touch(kept, 60 * PAGE);
    munmap(kept + 10 * PAGE, 20 * PAGE);
    munmap(kept + 90 * PAGE, 10 * PAGE);
    note(line, 2, 70 * PAGE, 1, resident(kept, 10 * PAGE) + resident(kept + 30 * PAGE, 60 * PAGE));

    p = AT(mmap(NULL, 40 * PAGE, READ_WRITE, OWN, -1, 0));
    note(line, 0, 0, 1, 0);
    moved = AT(mremap(touch(p, 40 * PAGE), 40 * PAGE, 300 * PAGE, MREMAP_MAYMOVE));
    note(line, 1, 300 * PAGE, 1, resident(moved, 300 * PAGE));

    for (int i = 0; i < 8; i++) {
        p = AT(mmap(NULL, 16 * PAGE, READ_WRITE, OWN, -1, 0));
        munmap(p, i < 7 ? 16 * PAGE : 8 * PAGE);
    }
    note(line, 1, 8 * PAGE, 8, 0);

    p = AT(mmap(NULL, 64 * PAGE, READ_WRITE, OWN, -1, 0));
    note(line, 2, 56 * PAGE, 1, 0);
    p = AT(mmap(p + 8 * PAGE, 8 * PAGE, READ_WRITE, OWN | MAP_FIXED, -1, 0));
    touch(p, 8 * PAGE);
    note(line, 1, 8 * PAGE, 1, 8 * PAGE);

    FILE *file = fopen(self, "re");
    p = AT(mmap(NULL, 2 * PAGE, PROT_READ, MAP_PRIVATE, fileno(file), 0));
    fclose(file);
    note(line, 1, 2 * PAGE, 1, 0);

    p = AT(sbrk(3 * PAGE));
    sbrk(-PAGE);
    note(line, 1, 2 * PAGE, 1, 0);

    int id = shmget(IPC_PRIVATE, 5 * PAGE, IPC_CREAT | 0600);
    for (int i = 0; i < 2; i++) {
        p = AT(shmat(id, NULL, 0));
        if (i)
            shmdt(p);
    }
    shmctl(id, IPC_RMID, NULL);
    note(line, 1, 5 * PAGE, 2, 0);
}

static void *work(void *seed) {
    enum { COUNT = 32 };
    char *have[COUNT] = {NULL};
    unsigned random = (unsigned)(size_t)seed;
    for (int i = 0; i < 4000; i++) {
        unsigned at = (random = random * 1664525 + 1013904223) >> 8 & (COUNT - 1);
        if (have[at])
            munmap(have[at], (at + 1) * PAGE);
        have[at] = have[at] ? NULL : map(at + 1);
    }
    for (int i = 0; i < COUNT; i++)
        if (have[i])
            munmap(have[i], (size_t)(i + 1) * PAGE);
    return NULL;
}

static void threads(void) {
    pthread_t list[4];
    for (size_t i = 0; i < 4; i++)
        pthread_create(&list[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 4; i++)
        pthread_join(list[i], NULL);
}

static void forks(void) {
    char *p = map(10);
    if (fork() == 0) {
        munmap(p, 5 * PAGE);
        exit(0);
    }
    wait(NULL);
}

static void *fill_stack(void *filled) {
    char stack[256 * PAGE];
    touch(stack, sizeof stack);
    pthread_barrier_wait(filled);
    for (;;)
        pause();
}

static void parts(void) {
    static pthread_barrier_t filled;
    static char *kept;
    pthread_t thread;
    char line[256];
    size_t kilobytes, sum = 0;
    pthread_barrier_init(&filled, NULL, 2);
    pthread_create(&thread, NULL, fill_stack, &filled);
    pthread_barrier_wait(&filled);
    char *below = touch(malloc(20 * PAGE), 20 * PAGE);
    kept = touch(malloc(25 * PAGE), 25 * PAGE);
    free(below);
    touch(map(64), 64 * PAGE);
    FILE *file = fopen("/proc/self/smaps", "r");
    while (fgets(line, sizeof line, file))
        sum += sscanf(line, "Rss: %zu kB", &kilobytes) == 1 ? kilobytes * 1024 : 0;
    fclose(file);
    printf("%zu %p\n", sum, kept);
}

int main(int count, char **arguments) {
    if (count > 1 && strcmp(arguments[1], "threads") == 0) {
        threads();
    } else if (count > 1 && strcmp(arguments[1], "parts") == 0) {
        parts();
    } else if (count > 1) {
        forks();
    } else {
        static char buffer[4096];
        setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
        mmap(NULL, 0, READ_WRITE, OWN, -1, 0);
        all_ways(arguments[0]);
        puts("end");
        fflush(stdout);
        getc(stdin);
    }
    return 0;
}
