/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every function of the C library that returns a block to its caller. Their internal allocations depend on
 * the library, so no note can have them: the program asks the observer before and after each call and prints
 * "line allocs alloc_bytes reallocs realloc_bytes", the counts that the site must have. */
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
static struct counts attributed; /* of all lines so far */

static struct counts now(void) {
    struct counts counts = {{0}};
    if (observed_now)
        observed_now(counts.of);
    return counts;
}

/* Attributes to the line what was observed since start, minus what nested calls were attributed since then.
 */
static void attribute(int line, const struct counts *start, const struct counts *attributed_before) {
    struct counts end = now();
    for (int i = 0; i < 4; i++) {
        uint64_t all = end.of[i] - start->of[i];
        lines[line].of[i] += all - (attributed.of[i] - attributed_before->of[i]);
        attributed.of[i] = attributed_before->of[i] + all;
    }
}

#define ATTRIBUTE(call)                                                                                      \
    do {                                                                                                     \
        struct counts start = now(), attributed_before = attributed;                                         \
        call;                                                                                                \
        attribute(__LINE__, &start, &attributed_before);                                                     \
    } while (0)

extern char *__strdup(const char *), *__strndup(const char *, size_t);

static const char *volatile text = "some text";
static void *volatile sink;
static char large[3000];

static void strings(void) {
    ATTRIBUTE(sink = strdup(text));
    ATTRIBUTE(sink = __strdup(text));
    ATTRIBUTE(sink = strndup(text, 4));
    ATTRIBUTE(sink = __strndup(text, 400));
    ATTRIBUTE(sink = wcsdup(L"wide"));
}

static int print(char **out, const char *format, ...) {
    va_list arguments;
    int n = 0;
    va_start(arguments, format);
    ATTRIBUTE(n = vasprintf(out, format, arguments));
    va_end(arguments);
    return n;
}

static void prints(void) {
    char *out;
    ATTRIBUTE(asprintf(&out, "%s", text));
    ATTRIBUTE(asprintf(&out, "%s %d", large, 7));
    print(&out, "%s", text);
    print(&out, "%s%s", large, large);
}

static void reads(void) {
    char *line = NULL;
    size_t size = 0;
    FILE *file;
    ATTRIBUTE(file = tmpfile());
    fprintf(file, "short\n%s\nshort\na;b;%s", large, large);
    rewind(file);
    for (int i = 0; i < 3; i++) /* getline allocates, enlarges and reuses the buffer */
        ATTRIBUTE(getline(&line, &size, file));
    line = NULL;
    size = 0;
    for (int i = 0; i < 4; i++)
        ATTRIBUTE(getdelim(&line, &size, ';', file));
    fclose(file);
}

static void paths(void) {
    char buffer[PATH_MAX], small[1];
    ATTRIBUTE(sink = realpath("/usr/../usr/bin", NULL));
    ATTRIBUTE(sink = realpath("/usr/./bin", buffer));
    ATTRIBUTE(sink = realpath("/nowhere/at/all", NULL));
    ATTRIBUTE(sink = canonicalize_file_name("/bin"));
    ATTRIBUTE(sink = getcwd(NULL, 0));
    ATTRIBUTE(sink = getcwd(NULL, 1));
    ATTRIBUTE(sink = getcwd(NULL, 1000));
    ATTRIBUTE(sink = getcwd(buffer, sizeof buffer));
    ATTRIBUTE(sink = getcwd(small, sizeof small));
    ATTRIBUTE(sink = get_current_dir_name());
    ATTRIBUTE(sink = tempnam("/tmp", "x"));
}

static void streams(void) {
    char *block[STREAMS];
    wchar_t *wide;
    size_t size;
    FILE *stream, *all[STREAMS];
    for (int i = 0; i < STREAMS; i++)
        ATTRIBUTE(all[i] = open_memstream(&block[i], &size));
    for (int i = 0; i < STREAMS; i++)
        ATTRIBUTE(fputs(i % 2 ? text : large, all[i]));
    for (int i = 0; i < STREAMS; i++)
        ATTRIBUTE(fclose(all[i]));
    ATTRIBUTE(stream = open_wmemstream(&wide, &size));
    ATTRIBUTE(fputws(L"wide", stream));
    ATTRIBUTE(fclose(stream));
}

static int filter(const struct dirent *entry) {
    ATTRIBUTE(sink = malloc(3));
    return entry->d_name[0] != '.';
}

static int compare(const struct dirent **a, const struct dirent **b) {
    ATTRIBUTE(sink = strdup((*a)->d_name));
    return alphasort(a, b);
}

static void scans(void) {
    struct dirent **list;
    struct dirent64 **list64;
    ATTRIBUTE(scandir("/etc", &list, NULL, NULL));
    ATTRIBUTE(scandir("/etc", &list, filter, compare));
    ATTRIBUTE(scandir("/nowhere/at/all", &list, filter, compare));
    ATTRIBUTE(scandirat(-1, "/etc", &list, NULL, alphasort));
    ATTRIBUTE(scandir64("/etc", &list64, NULL, alphasort64));
    ATTRIBUTE(scandirat64(-1, "/etc", &list64, NULL, NULL));
}

static void traces(void) {
    void *addresses[] = {(void *)strings, (void *)(uintptr_t)&puts};
    ATTRIBUTE(sink = backtrace_symbols(addresses, 2));
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
