/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions of the C library that allocate for their caller and call the program back. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static void *volatile sink;

static int filter(const struct dirent *entry) {
    sink = malloc(1);
    free(sink);
    return entry->d_name[0] == 'e';
}

static ssize_t reader(void *cookie, char *text, size_t size) {
    sink = malloc(2);
    free(sink);
    if (!size)
        return 0;
    *text = '\n';
    return *(int *)cookie ? *(int *)cookie = 0, 1 : 0;
}

int main(void) {
    struct dirent **entries;
    int more = 1;
    char *line = NULL;
    size_t room = 0;
    for (int count = scandir("/", &entries, filter, NULL); count-- > 0;)
        free(entries[count]);
    free(entries);
    FILE *file = fopencookie(&more, "r", (cookie_io_functions_t){.read = reader});
    while (getdelim(&line, &room, '\n', file) > 0)
        continue;
    free(line);
    fclose(file);
    puts("done");
    return 3;
}
