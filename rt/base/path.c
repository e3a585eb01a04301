/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Paths as text. */
#include "base/path.h"

#include "base/words.h"

#include <stdbool.h>
#include <string.h>

static bool is_dots(const char *component, size_t length) {
    return length == 2 && component[0] == '.' && component[1] == '.';
}

/* Returns the start of the last component of path[first..end). */
static size_t last_component(const char *path, size_t first, size_t end) {
    while (end > first && path[end - 1] != '/')
        end--;
    return end;
}

/* Returns the length without the last component; end if there is none that ".." could leave. */
static size_t path_parent(const char *path, size_t first, size_t end) {
    size_t start = last_component(path, first, end);
    if (start == end || is_dots(path + start, end - start))
        return end;
    return start > first ? start - 1 : start;
}

void path_clean(char *path) {
    size_t first = path[0] == '/', used = first;
    const char *at = path;
    while (*(at += strspn(at, "/"))) {
        size_t length = strcspn(at, "/");
        const char *component = at;
        at += length;
        if (length == 1 && component[0] == '.')
            continue;
        size_t above = path_parent(path, first, used);
        if (is_dots(component, length) && (above != used || (first && used == first))) {
            used = above;
            continue;
        }
        if (used > first)
            path[used++] = '/';
        memmove(path + used, component, length);
        used += length;
    }
    path[used] = '\0';
}

void path_show(char *text, size_t size, const char *path, const char *directory) {
    size_t length = strnlen(path, size - 1);
    memcpy(text, path, length);
    text[length] = '\0';
    path_clean(text);
    size_t above = directory ? strlen(directory) : 0;
    if (above > 1 && strncmp(text, directory, above) == 0 && text[above] == '/')
        memmove(text, text + above + 1, strlen(text + above + 1) + 1);
}

const char *path_base(const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

bool path_is_of_system(const char *path) {
    static const char *const folders[] = {"/usr/include/", "/usr/lib/", "/usr/local/include/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strncmp(path, folders[i], strlen(folders[i])) == 0)
            return true;
    return strstr(path, "/include/c++/") != NULL;
}

bool path_is_c_library(const char *path) {
    static const char *const names[] = {"libc.so", "libc-", "ld-linux-"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(path_base(path), names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

struct path {
    char *at, *end;
};

static bool path_append(struct path *path, const char *text, size_t length) {
    if ((size_t)(path->end - path->at) <= length)
        return false;
    memcpy(path->at, text, length);
    path->at += length;
    *path->at = '\0';
    return true;
}

static bool path_append_number(struct path *path, uint64_t number) {
    char digits[20], *end = digits + sizeof digits, *at = digits_before(end, number, 10);
    return path_append(path, at, (size_t)(end - at));
}

bool path_add_number(char *path, size_t size, uint64_t number) {
    char *end = path + strlen(path);
    struct path to = {end, path + size};
    bool fits = path_append(&to, ".", 1) && path_append_number(&to, number);
    if (!fits)
        *end = '\0';
    return fits;
}

static bool path_append_part(struct path *path, char letter, const struct path_names *names) {
    const char *program = path_base(names->program);
    switch (letter) {
    case 'p':
        return path_append_number(path, names->pid);
    case 'e':
        return path_append(path, program, strlen(program));
    case 'h':
        return path_append(path, names->host, strlen(names->host));
    case '%':
        return path_append(path, "%", 1);
    default:
        return false;
    }
}

bool path_expand(char *path, size_t size, const char *pattern, const struct path_names *names) {
    struct path to = {path, path + size};
    *path = '\0';
    for (; *pattern; pattern++) {
        bool fits = *pattern == '%' ? path_append_part(&to, *++pattern, names) : path_append(&to, pattern, 1);
        if (!fits)
            return false;
    }
    return true;
}
