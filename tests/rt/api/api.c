/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of allocsite.h inside the program: api CASE. Prints errors, and "done". */
#include <allocsite.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXPECT(left, right)                                                                                  \
    do {                                                                                                     \
        long long l_ = (long long)(left), r_ = (long long)(right);                                           \
        if (l_ != r_)                                                                                        \
            printf("line %d: " #left " is %lld, not %lld\n", __LINE__, l_, r_);                              \
    } while (0)

static void *volatile kept[1000];

static void allocate(int count, size_t size) {
    for (int i = 0; i < count; i++)
        kept[i] = malloc(size); /* allocate */
}

static void release(int count) {
    for (int i = 0; i < count; i++)
        free(kept[i]); /* release */
}

static struct allocsite_totals process(void) {
    struct allocsite_totals totals;
    EXPECT(allocsite_totals(&totals), 0);
    return totals;
}

static void *count_in_thread(void *result) {
    struct allocsite_totals before, after;
    allocsite_thread_totals(&before);
    for (int i = 0; i < 50; i++) {
        void *volatile p = malloc(10); /* in the thread */
        p = realloc(p, 20);
        free(p);
    }
    allocsite_thread_totals(&after);
    EXPECT(after.allocs - before.allocs, 50);
    EXPECT(after.reallocs - before.reallocs, 50);
    EXPECT(after.realloc_old_bytes - before.realloc_old_bytes, 500);
    EXPECT(after.frees - before.frees, 50);
    EXPECT(after.freed_bytes - before.freed_bytes, 1000);
    EXPECT(after.live_blocks - before.live_blocks, 0);
    return result;
}

static void totals(void) {
    struct allocsite_totals before = process(), mine, mine_after;
    allocsite_thread_totals(&mine);
    allocate(100, 30);
    release(40);
    pthread_t thread;
    pthread_create(&thread, NULL, count_in_thread, NULL);
    pthread_join(thread, NULL);
    struct allocsite_totals after = process();
    allocsite_thread_totals(&mine_after);
    EXPECT(mine_after.frees - mine.frees, 40);
    EXPECT(mine_after.freed_bytes - mine.freed_bytes, 1200);
    EXPECT(after.frees - before.frees, 90);
    EXPECT(after.reallocs - before.reallocs, 50);
    EXPECT(after.allocs - before.allocs >= 150, 1);
    EXPECT(after.peak_bytes >= 3000, 1);
    EXPECT(after.allocs + after.reallocs, after.frees + after.moved + after.live_blocks);
    release(0);
}

static void stopping(void) {
    allocate(10, 100);
    struct allocsite_totals before = process();
    EXPECT(allocsite_is_counting(), 1);
    EXPECT(allocsite_start(), EALREADY);
    EXPECT(allocsite_stop(), 0);
    EXPECT(allocsite_stop(), EALREADY);
    EXPECT(allocsite_is_counting(), 0);
    void *volatile uncounted[20];
    for (int i = 0; i < 20; i++)
        uncounted[i] = malloc(50); /* stopped */
    char *volatile text = strdup("stopped");
    kept[0] = realloc(kept[0], 200); /* stopped */
    free(kept[1]);
    struct allocsite_totals stopped = process();
    EXPECT(stopped.allocs - before.allocs, 0);
    EXPECT(stopped.reallocs - before.reallocs, 0);
    EXPECT(stopped.frees - before.frees, 2);
    EXPECT(stopped.freed_bytes - before.freed_bytes, 200);
    EXPECT(allocsite_start(), 0);
    for (int i = 0; i < 20; i++)
        free(uncounted[i]);
    free(text);
    free(kept[0]);
    EXPECT(process().frees - stopped.frees, 0);
    free(malloc(1));
    for (int i = 2; i < 10; i++)
        free(kept[i]);
    EXPECT(process().frees - stopped.frees >= 8, 1);
}

static void resetting(void) {
    allocate(100, 10);
    release(50);
    kept[60] = realloc(kept[60], 500);
    struct allocsite_totals before = process();
    allocsite_reset();
    struct allocsite_totals fresh = process();
    EXPECT(fresh.allocs, 0);
    EXPECT(fresh.reallocs, 0);
    EXPECT(fresh.frees, 0);
    EXPECT(fresh.moved, 0);
    EXPECT(fresh.live_blocks, fresh.peak_blocks);
    EXPECT(fresh.live_bytes, before.live_bytes);
    EXPECT(fresh.peak_bytes, fresh.live_bytes);
    for (int i = 0; i < 7; i++)
        kept[i] = malloc(1000); /* after */
    for (int i = 0; i < 100; i++)
        if (i < 7 || i >= 50)
            free(kept[i]);
    EXPECT(process().allocs, 7);
    EXPECT(process().frees, 57);
    EXPECT(process().live_blocks, before.live_blocks - 50);
    EXPECT(process().peak_bytes, before.live_bytes + 7000);
    printf("peak %d\n", (int)process().peak_bytes);
}

static void phases(void) {
    allocate(10, 8); /* outside */
    allocsite_phase_push("loading");
    allocate(20, 8);
    allocsite_phase_push("parsing");
    allocate(30, 8);
    allocsite_phase_pop();
    allocate(40, 8);
    allocsite_phase_pop();
    allocsite_phase_pop();
    allocate(50, 8);
    for (int i = 0; i < 100; i++)
        allocsite_phase_push("deep");
    allocate(60, 8);
    for (int i = 0; i < 100; i++)
        allocsite_phase_pop();
    allocate(70, 8);
}

/* More phases than can be kept apart: counts of the last ones are outside of all phases. */
static void crowded(void) {
    allocsite_phase_push("around");
    for (int i = 0; i < 9000; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        allocsite_phase_push(name);
        kept[0] = malloc(8); /* crowded */
        free(kept[0]);
        allocsite_phase_pop();
    }
    EXPECT(allocsite_profile("crowded.copy"), 0);
}

static void marking(void) {
    char *arena = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct allocsite_totals before = process();
    allocsite_mark(arena, 1 << 20); /* whole */
    allocsite_mark(arena, 5);       /* live already */
    for (int i = 1; i <= 100; i++)
        allocsite_mark(arena + 8 * i, 8); /* part */
    EXPECT(process().live_blocks - before.live_blocks, 101);
    EXPECT(process().live_bytes - before.live_bytes, (1 << 20) + 800);
    for (int i = 1; i <= 100; i++)
        allocsite_unmark(arena + 8 * i);
    allocsite_unmark(arena);
    EXPECT(process().live_blocks - before.live_blocks, 0);
    EXPECT(process().frees - before.frees, 101);
    EXPECT(*arena, 0);
}

/* Adjacent blocks of 16 bytes, one of them the allocator's: otherwise no two blocks start that close
 * together. */
static void marking_closely(void) {
    void (*volatile unsited)(const void *, size_t) = allocsite_mark_block;
    struct allocsite_totals before = process();
    char *pool = malloc(16 * 21); /* pool */
    for (int i = 1; i <= 20; i++)
        if (i % 4 < 2)
            allocsite_mark(pool + 16 * i, 16); /* close */
        else
            unsited(pool + 16 * i, 16);
    EXPECT(process().live_blocks - before.live_blocks, 21);
    EXPECT(process().live_bytes - before.live_bytes, 16 * 41);
    for (int i = 20; i > 0; i--)
        allocsite_unmark(pool + 16 * (i * 7 % 20 + 1));
    EXPECT(process().live_blocks - before.live_blocks, 1);
    free(pool);
    EXPECT(process().frees - before.frees, 21);
    EXPECT(process().live_bytes - before.live_bytes, 0);
}

/* A large block is reallocated in place to a small one, next to a marked part. The first time is the slow path. */
static void marking_within(void) {
    struct allocsite_totals before = process();
    for (int i = 0; i < 4; i++) {
        char *volatile pool = malloc(600 + 16 * i); /* prevents LLVM from removing the realloc */
        char *part = pool + 16;
        allocsite_mark(part, 16);
        pool = realloc(pool, 300);
        EXPECT(process().live_blocks - before.live_blocks, 2);
        allocsite_unmark(part);
        EXPECT(process().live_bytes - before.live_bytes, 300);
        free(pool);
    }
    EXPECT(process().live_blocks - before.live_blocks, 0);
    EXPECT(process().frees - before.frees, 8);
}

/* Parts at the very end of a block: the next block starts 16 bytes after them, before or after a multiple of
 * 32. */
static void marking_ends(void) {
    char *blocks[64];
    struct allocsite_totals before = process();
    for (int i = 0; i < 64; i++) {
        blocks[i] = malloc(i == 32 ? 40 : 24);
        allocsite_mark(blocks[i] + 16, 8);
    }
    EXPECT(process().live_blocks - before.live_blocks, 128);
    for (int i = 0; i < 64; i++)
        allocsite_unmark(blocks[i] + 16);
    EXPECT(process().live_bytes - before.live_bytes, 64 * 24 + 16);
    for (int i = 0; i < 64; i++)
        free(blocks[i]);
    EXPECT(process().live_blocks - before.live_blocks, 0);
    EXPECT(process().frees - before.frees, 128);
}

static void checking(void) {
    struct allocsite_check check, inner;
    char text[1000];
    EXPECT(allocsite_check_begin(&check), 0);
    EXPECT(allocsite_check_end(&check, text, sizeof text), 0);
    EXPECT(*text, 0);
    allocsite_check_begin(&check);
    allocate(3, 24);
    allocsite_check_begin(&inner);
    kept[0] = realloc(kept[0], 100); /* grown */
    EXPECT(allocsite_check_end(&inner, text, sizeof text), 1);
    EXPECT(strncmp(text, "1 of 100 B  checking ", 21), 0);
    EXPECT(strcmp(text + strlen(text) - 9, " realloc\n"), 0);
    EXPECT(allocsite_check_end(&check, text, sizeof text), 4);
    EXPECT(strncmp(text, "3 of 72 B  allocate ", 20), 0);
    EXPECT(strstr(text, "\n1 of 100 B  checking ") != NULL, 1);
    allocsite_check_begin(&check);
    allocate(3, 24);
    EXPECT(allocsite_check_end(&check, text, 10), 3);
    EXPECT(strcmp(text, "3 of 72 B"), 0);
    allocsite_check_begin(&check);
    allocate(2, 24);
    EXPECT(allocsite_check_end(&check, NULL, 0), 2);
}

static void reporting(void) {
    allocate(100, 10);
    EXPECT(allocsite_report("now.%p.json", "json"), 0);
    EXPECT(allocsite_report("now.csv", "csv"), 0);
    EXPECT(allocsite_report("now.csv", "cvs"), EINVAL);
    EXPECT(allocsite_report("/nowhere/now.csv", NULL), ENOENT);
    EXPECT(allocsite_profile("/nowhere/now.copy"), ENOENT);
    EXPECT(allocsite_profile("now.copy"), 0);
    release(50);
    EXPECT(allocsite_profile("now.copy"), 0); /* replaces it */
    int fd = open("now.fd.copy", O_CREAT | O_TRUNC | O_WRONLY, 0600), full = open("/dev/full", O_WRONLY);
    EXPECT(allocsite_profile_fd(fd), 0);
    EXPECT(allocsite_report_fd(full, "text"), EIO);
    EXPECT(allocsite_profile_fd(full), ENOSPC);
    EXPECT(allocsite_profile_fd(-1), EBADF);
    close(fd);
    close(full);
    allocate(5, 10);
}

/* ---- forked children, and several threads in one function ---- */

static void *allocate_and_end(void *result) {
    for (int i = 0; i < 1000; i++)
        free(malloc(10)); /* elsewhere */
    return result;
}

/* Reads counters before it has counted anything; it may then inherit the slab of a thread that ended. */
static void *check_early(void *result) {
    struct allocsite_check check;
    struct allocsite_totals before, after;
    pthread_t thread;
    char text[1000];
    allocsite_thread_totals(&before);
    allocsite_check_begin(&check);
    pthread_create(&thread, NULL, allocate_and_end, NULL);
    pthread_join(thread, NULL);
    kept[500] = malloc(10); /* one */
    allocsite_thread_totals(&after);
    EXPECT(allocsite_check_end(&check, text, sizeof text) < 100, 1);
    EXPECT(strstr(text, "1 of 10 B  check_early ") != NULL, 1);
    EXPECT(strstr(text, "allocate_and_end") == NULL, 1);
    EXPECT(after.allocs - before.allocs < 100, 1);
    return result;
}

static void early(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, check_early, NULL);
    pthread_join(thread, NULL);
}

static void wait_for(pid_t child) {
    int status = 1;
    waitpid(child, &status, 0);
    EXPECT(status, 0);
}

static void forked(void) {
    struct allocsite_check check;
    char text[1000];
    allocate(100, 50);
    allocsite_check_begin(&check);
    allocate(8, 50);
    allocsite_phase_push("child");
    fflush(stdout);
    pid_t child = fork();
    if (child) {
        wait_for(child);
        EXPECT(allocsite_check_end(&check, text, sizeof text), 8);
        return;
    }
    EXPECT(process().live_bytes >= 5400, 1);
    EXPECT(process().allocs, 0);
    EXPECT(allocsite_check_end(&check, text, sizeof text), 0);
    kept[0] = malloc(7); /* in the child */
    allocsite_phase_pop();
    EXPECT(process().allocs, 1);
    EXPECT(allocsite_profile("forked.copy"), 0);
    allocsite_reset();
    EXPECT(process().live_bytes >= 5407, 1);
    fflush(stdout);
    exit(0);
}

static void *reset_and_copy(void *path) {
    for (int i = 0; i < 50; i++) {
        EXPECT(allocsite_profile(path), 0);
        allocsite_reset();
        free(malloc(10)); /* between */
        struct allocsite_totals totals = process();
        EXPECT((int64_t)totals.allocs >= 0 && (int64_t)totals.frees >= 0, 1);
        EXPECT(totals.allocs < 1000 && totals.frees < 1000, 1);
    }
    return NULL;
}

static void racing(void) {
    static char path[] = "racing.copy";
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, reset_and_copy, path);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}

/* Marks that do not fit are not counted, and the report says so. */
static void mismarking(void) {
    char *pool = malloc(1 << 16);
    struct allocsite_totals before = process();
    allocsite_mark(pool + 16, 1000);
    allocsite_unmark(pool + 16);
    allocsite_mark(pool + 1, 10);
    allocsite_unmark(pool + 1);
    allocsite_mark((char *)((uintptr_t)1 << 47) - 16, (size_t)1 << 40);
    allocsite_mark(pool + 16, 100);
    EXPECT(process().live_blocks - before.live_blocks, 1);
    allocsite_unmark(pool + 16);
    free(pool);
    EXPECT(process().live_blocks - before.live_blocks, -1);
    fflush(stdout);
    pid_t child = fork();
    if (child) {
        wait_for(child);
        return;
    }
    kept[0] = malloc(10); /* in a child of that */
    _exit(0);
}

/* ---- signals in any state ---- */

static volatile sig_atomic_t ends;

static void *be_busy(void *result) {
    while (!ends) {
        char *text = strdup("busy");
        text = realloc(text, 100);
        free(text);
    }
    return result;
}

static void signalled(void) {
    pthread_t threads[3];
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 16384);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], &small, be_busy, NULL);
    for (int i = 0; i < 300; i++) {
        pthread_kill(threads[i % 3], SIGUSR2);
        kill(getpid(), SIGUSR2);
        usleep(200);
    }
    ends = 1;
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    allocate(100, 10);
    raise(SIGUSR2);
}

/* Every function reports that there is no runtime. */
static void nothing(void) {
    struct allocsite_totals totals;
    struct allocsite_check check;
    char text[10] = "text";
    EXPECT(allocsite_stop(), ENOSYS);
    allocsite_reset();
    EXPECT(allocsite_is_counting(), 0);
    EXPECT(allocsite_totals(&totals), ENOSYS);
    EXPECT(allocsite_thread_totals(&totals), ENOSYS);
    EXPECT(allocsite_report("nothing.json", "json"), ENOSYS);
    EXPECT(allocsite_report_fd(1, "json"), ENOSYS);
    EXPECT(allocsite_profile("nothing.profile"), ENOSYS);
    EXPECT(allocsite_profile_fd(1), ENOSYS);
    allocsite_phase_push("phase");
    allocsite_phase_pop();
    allocsite_mark(text, 8);
    allocsite_unmark(text);
    EXPECT(allocsite_check_begin(&check), ENOSYS);
    allocate(5, 10);
    EXPECT(allocsite_check_end(&check, text, sizeof text), 0);
    EXPECT(*text, 0);
}

int main(int count, char **arguments) {
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {{"totals", totals},       {"stopping", stopping},     {"resetting", resetting},
                 {"phases", phases},       {"marking", marking},       {"checking", checking},
                 {"reporting", reporting}, {"signalled", signalled},   {"nothing", nothing},
                 {"crowded", crowded},     {"early", early},           {"forked", forked},
                 {"racing", racing},       {"mismarking", mismarking}, {"marking_closely", marking_closely},
                 {"marking_within", marking_within}, {"marking_ends", marking_ends}};
    static char buffer[256];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strcmp(arguments[count - 1], cases[i].name) == 0)
            cases[i].run();
    puts("done");
    return 0;
}
