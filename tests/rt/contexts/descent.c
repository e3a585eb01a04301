/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two threads with a recursive-descent parser and a tree builder, which have far more call paths than fit.
 * The program records how often each line was called through which three lines, without those that occur
 * again further out. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE     __attribute__((noinline))
#define DEPTH_MOST   64
#define ENTRIES_MOST (1 << 16)

struct node {
    struct node *next;
    int kind;
};

/* The lines of the thread's active calls. */
static __thread int lines[DEPTH_MOST], depth;

static struct entry { int lines[4], count; } book[ENTRIES_MOST];
static pthread_mutex_t book_lock = PTHREAD_MUTEX_INITIALIZER;

static __thread unsigned seed = 1;
static __thread struct node *all;

#define CALL(...) (lines[depth++] = __LINE__, __VA_ARGS__, depth--)

static unsigned next_random(void) {
    seed = seed * 1103515245 + 12345;
    return seed >> 16;
}

static int has(const int *some, int count, int line) {
    for (int i = 0; i < count; i++)
        if (some[i] == line)
            return 1;
    return 0;
}

static void note(void) {
    struct entry entry = {{0}, 0};
    unsigned place = 0;
    for (int i = depth, count = 0; i > 0 && count < 4; i--)
        if (!has(entry.lines, count, lines[i - 1]))
            entry.lines[count++] = lines[i - 1];
    for (int i = 0; i < 4; i++)
        place = place * 1021 + (unsigned)entry.lines[i];
    pthread_mutex_lock(&book_lock);
    while (book[place %= ENTRIES_MOST].count &&
           memcmp(book[place].lines, entry.lines, sizeof entry.lines) != 0)
        place++;
    entry.count = book[place].count + 1;
    book[place] = entry;
    pthread_mutex_unlock(&book_lock);
}

/* A pass-through function. */
static NOINLINE struct node *make(int kind) {
    note();
    struct node *node = malloc(sizeof *node + (size_t)kind);
    if (node)
        node->kind = kind;
    return node;
}

static void expression(int level);

static NOINLINE void number(int level) {
    struct node *node;
    CALL(node = make(level));
    node->next = all;
    all = node;
}

static NOINLINE void primary(int level) {
    switch (level ? next_random() % 5 : 0) {
    case 0:
        CALL(number(1));
        break;
    case 1:
        CALL(expression(level - 1));
        break;
    case 2:
        CALL(number(2));
        CALL(expression(level - 1));
        break;
    default:
        CALL(number(3));
    }
}

static NOINLINE void product(int level) {
    CALL(primary(level));
    if (next_random() % 2)
        CALL(primary(level ? level - 1 : 0));
}

static NOINLINE void sum(int level) {
    CALL(product(level));
    CALL(product(level));
}

static NOINLINE void expression(int level) {
    if (next_random() % 3)
        CALL(sum(level));
    else
        CALL(product(level));
    struct node *node;
    CALL(node = make(8));
    free(node);
}

static NOINLINE void statement(int level) {
    CALL(expression(level));
}

static NOINLINE void tree(int level) {
    CALL(number(4));
    if (!level)
        return;
    CALL(tree(level - 1));
    CALL(tree(level - 1));
}

static void *run(void *unused) {
    for (int i = 0; i < 1000; i++)
        CALL(statement(12));
    CALL(tree(13));
    return unused;
}

int main(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, NULL) != 0)
        return 1;
    CALL(run(NULL));
    pthread_join(thread, NULL);
    FILE *books = fopen("books", "w");
    for (int i = 0; books && i < ENTRIES_MOST; i++)
        if (book[i].count)
            fprintf(books, "%d %d %d %d: %d\n", book[i].lines[0], book[i].lines[1], book[i].lines[2],
                    book[i].lines[3], book[i].count);
    puts("done");
    return books && fclose(books) == 0 ? 3 : 1;
}
