/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Converts the lines of a file into strings that grow by realloc, with JSON escapes, and keeps copies. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct buffer {
    char *data;
    size_t used, size;
};

static void append(struct buffer *buffer, char c) {
    if (buffer->used + 1 >= buffer->size) {
        buffer->size = buffer->size ? 2 * buffer->size : 16;
        buffer->data = realloc(buffer->data, buffer->size);
    }
    buffer->data[buffer->used++] = c;
    buffer->data[buffer->used] = '\0';
}

static char *escape(const char *line) {
    struct buffer buffer = {0};
    append(&buffer, '"');
    for (; *line; line++) {
        if (*line == '"' || *line == '\\' || *line == '\n')
            append(&buffer, '\\');
        append(&buffer, *line == '\n' ? 'n' : *line);
    }
    append(&buffer, '"');
    char *copy = strdup(buffer.data);
    free(buffer.data);
    return copy;
}

static size_t escape_file(const char *path) {
    enum { KEPT = 500 };
    char *kept[KEPT] = {0};
    char *line = NULL;
    size_t size = 0, total = 0;
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(1);
    }
    for (size_t number = 0; getline(&line, &size, file) >= 0; number++) {
        free(kept[number % KEPT]);
        kept[number % KEPT] = escape(line);
        total += strlen(kept[number % KEPT]);
    }
    for (int i = 0; i < KEPT; i++)
        free(kept[i]);
    free(line);
    fclose(file);
    return total;
}

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    size_t total = 0;
    for (int rounds = atoi(argv[1]); rounds > 0; rounds--)
        total += escape_file(argv[2]);
    printf("%zu\n", total);
}
