/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions of the C library and C++'s runtime that allocate internally, and that call back code that allocates in a
 * pass-through function. */
#include <regex.h>
#include <search.h>
#include <stdexcept>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

static int numbers[100000];

__attribute__((noinline)) static char *make(size_t n) {
    char *block = (char *)malloc(n);
    if (!block)
        abort();
    return block;
}

static int by_text(const void *a, const void *b) {
    free(make(9));
    return strcmp((const char *)a, (const char *)b);
}

static int by_number(const void *a, const void *b) {
    int left = *(const int *)a, right = *(const int *)b;
    return (left > right) - (left < right);
}

static void search() {
    void *root = nullptr;
    static char keys[10][4];
    for (int i = 0; i < 10; i++) {
        sprintf(keys[i], "%d", i);
        tsearch(keys[i], &root, by_text);
    }
}

static void sort() {
    for (int i = 0; i < 100000; i++)
        numbers[i] = 100000 - i;
    qsort(numbers, 100000, sizeof *numbers, by_number);
}

static void match() {
    regex_t pattern;
    setenv("A", "b", 1);
    regcomp(&pattern, "a(b|c)*d", 0);
    regexec(&pattern, "abcd", 0, nullptr, 0);
    regfree(&pattern);
}

static void print() {
    FILE *file = fopen("/dev/null", "w");
    fprintf(file, "%d\n", 1);
    fclose(file);
    fprintf(stderr, "");
}

static void measure() {
    FILE *file = fopen("/proc/self/exe", "rb");
    fseek(file, 0, SEEK_END);
    fclose(file);
}

static int fail() {
    std::vector<int> empty;
    int caught = 0;
    for (int i = 0; i < 3; i++) {
        try {
            throw i;
        } catch (int) {
            caught++;
        }
        try {
            empty.at(10);
        } catch (const std::out_of_range &) {
            caught++;
        }
    }
    return caught;
}

int main() {
    search();
    sort();
    match();
    print();
    measure();
    return fail() == 6 ? 3 : 1;
}
