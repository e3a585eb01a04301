/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every function of the C library that returns a block to its caller. Their internal allocations depend on the library,
 * so no note can have them: the program asks the observer before and after each call and prints "line allocs
 * alloc_bytes reallocs realloc_bytes", the counts that the site must have. */
#define _GNU_SOURCE
#include <dirent.h>
#include <execinfo.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#define STREAMS 200

struct counts {
    uint64_t of[4];
};

#pragma weak observed_now
void observed_now(uint64_t counts[4]);

static struct counts lines[1000];
static struct counts billed; /* of all lines so far */

static struct counts now(void) {
    struct counts counts = {{0}};
    if (observed_now)
        observed_now(counts.of);
    return counts;
}

/* Attributes to the line what was observed since start, minus what nested calls were attributed since then. */
static void bill(int line, const struct counts *start, const struct counts *billed_before) {
    struct counts end = now();
    for (int i = 0; i < 4; i++) {
        uint64_t all = end.of[i] - start->of[i];
        lines[line].of[i] += all - (billed.of[i] - billed_before->of[i]);
        billed.of[i] = billed_before->of[i] + all;
    }
}

#define BILL_TO(line, call)                                                                                  \
    do {                                                                                                     \
        struct counts start = now(), billed_before = billed;                                                 \
        call;                                                                                                \
        bill(line, &start, &billed_before);                                                                  \
    } while (0)
#define BILL(call) BILL_TO(__LINE__, call)

extern char *__strdup(const char *), *__strndup(const char *, size_t);

static const char *volatile text = "some text";
static void *volatile sink;
static char large[3000];

static void strings(void) {
    BILL(sink = strdup(text));
    BILL(sink = __strdup(text));
    BILL(sink = strndup(text, 4));
    BILL(sink = __strndup(text, 400));
    BILL(sink = wcsdup(L"wide"));
}

static int print(char **out, const char *format, ...) {
    va_list arguments;
    int n = 0;
    va_start(arguments, format);
    BILL(n = vasprintf(out, format, arguments));
    va_end(arguments);
    return n;
}

static void prints(void) {
    char *out;
    BILL(asprintf(&out, "%s", text));
    BILL(asprintf(&out, "%s %d", large, 7));
    print(&out, "%s", text);
    print(&out, "%s%s", large, large);
}

static void reads(void) {
    char *line = NULL;
    size_t size = 0;
    FILE *file;
    BILL(file = tmpfile());
    fprintf(file, "short\n%s\nshort\na;b;%s", large, large);
    rewind(file);
    for (int i = 0; i < 3; i++) /* a new one, a grown one, the same one */
        BILL(getline(&line, &size, file));
    line = NULL;
    size = 0;
    for (int i = 0; i < 4; i++)
        BILL(getdelim(&line, &size, ';', file));
    fclose(file);
}

static void paths(void) {
    char buffer[PATH_MAX], small[1];
    BILL(sink = realpath("/usr/../usr/bin", NULL));
    BILL(sink = realpath("/usr/./bin", buffer));
    BILL(sink = realpath("/nowhere/at/all", NULL));
    BILL(sink = canonicalize_file_name("/bin"));
    BILL(sink = getcwd(NULL, 0));
    BILL(sink = getcwd(NULL, 1));
    BILL(sink = getcwd(NULL, 1000));
    BILL(sink = getcwd(buffer, sizeof buffer));
    BILL(sink = getcwd(small, sizeof small));
    BILL(sink = get_current_dir_name());
    BILL(sink = tempnam("/tmp", "x"));
}

static void streams(void) {
    char *block[STREAMS];
    wchar_t *wide;
    size_t size;
    FILE *stream, *all[STREAMS];
    int line = __LINE__ + 2;
    for (int i = 0; i < STREAMS; i++)
        BILL(all[i] = open_memstream(&block[i], &size));
    for (int i = 0; i < STREAMS; i++)
        fputs(i % 2 ? text : large, all[i]);
    for (int i = 0; i < STREAMS; i++)
        BILL_TO(line, fclose(all[i]));
    line = __LINE__ + 1;
    BILL(stream = open_wmemstream(&wide, &size));
    fputws(L"wide", stream);
    BILL_TO(line, fclose(stream));
}

static int filter(const struct dirent *entry) {
    BILL(sink = malloc(3));
    return entry->d_name[0] != '.';
}

static int compare(const struct dirent **a, const struct dirent **b) {
    BILL(sink = strdup((*a)->d_name));
    return alphasort(a, b);
}

static void scans(void) {
    struct dirent **list;
    struct dirent64 **list64;
    BILL(scandir("/etc", &list, NULL, NULL));
    BILL(scandir("/etc", &list, filter, compare));
    BILL(scandir("/nowhere/at/all", &list, filter, compare));
    BILL(scandirat(-1, "/etc", &list, NULL, alphasort));
    BILL(scandir64("/etc", &list64, NULL, alphasort64));
    BILL(scandirat64(-1, "/etc", &list64, NULL, NULL));
}

static void traces(void) {
    void *addresses[] = {(void *)strings, (void *)(uintptr_t)&puts};
    BILL(sink = backtrace_symbols(addresses, 2));
}

int main(void) {
    static char buffer[BUFSIZ];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    memset(large, 'x', sizeof large - 1);
    strings();
    prints();
    reads();
    paths();
    streams();
    scans();
    traces();
    for (int i = 0; i < 1000; i++)
        if (lines[i].of[0] || lines[i].of[2])
            printf("%d %lu %lu %lu %lu\n", i, lines[i].of[0], lines[i].of[1], lines[i].of[2], lines[i].of[3]);
    return 3;
}
