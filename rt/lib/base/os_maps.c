/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The readable memory of the process. /proc/self is the first thread, which may have ended. */
#define _GNU_SOURCE
#include "lib/base/os.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Address space for all mappings that the kernel permits (65,530). Only written pages use memory. */
#define SPANS_MOST ((size_t)1 << 20)
#define SPANS_SIZE (SPANS_MOST * sizeof(struct span))

/* The start of a line. The path at its end may be long and is not needed. */
struct line {
    char text[128];
    size_t used;
};

static const char *hex_read(const char *at, uintptr_t *value) {
    for (*value = 0;; at++) {
        unsigned digit = *at >= '0' && *at <= '9' ? (unsigned)(*at - '0') : (unsigned)(*at - 'a' + 10);
        if (digit > 15)
            return at;
        *value = *value << 4 | digit;
    }
}

/* "begin-end rwxp offset device inode path" */
static bool maps_add_line(struct maps *maps, const char *line) {
    struct span span;
    const char *at = hex_read(line, &span.begin);
    at = hex_read(at + (*at == '-'), &span.end);
    if (span.begin >= span.end || *at != ' ' || maps->count == SPANS_MOST)
        return false;
    if (at[1] != 'r')
        return true;
    maps->spans[maps->count++] = span;
    return true;
}

static bool maps_add_bytes(struct maps *maps, struct line *line, const char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != '\n') {
            if (line->used < sizeof line->text - 1)
                line->text[line->used++] = bytes[i];
            continue;
        }
        line->text[line->used] = '\0';
        line->used = 0;
        if (!maps_add_line(maps, line->text))
            return false;
    }
    return true;
}

/* By direct system calls, because the C library's read is a cancellation point. */
static bool maps_add_file(struct maps *maps, int fd) {
    char bytes[4096];
    struct line line = {.used = 0};
    long count;
    while ((count = syscall(SYS_read, fd, bytes, sizeof bytes)) > 0)
        if (!maps_add_bytes(maps, &line, bytes, (size_t)count))
            return false;
    return count == 0 && maps->count;
}

const char *maps_read(struct maps *maps) {
    maps->count = 0;
    maps->spans = os_map(SPANS_SIZE, OS_FORK_KEEPS);
    if (!maps->spans)
        return "out of memory";
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/maps", O_RDONLY | O_CLOEXEC);
    bool taken = fd >= 0 && maps_add_file(maps, fd);
    if (fd >= 0)
        syscall(SYS_close, fd);
    if (taken)
        return NULL;
    maps_release(maps);
    return fd < 0 ? "/proc/thread-self/maps cannot be opened" : "/proc/thread-self/maps cannot be read";
}

void maps_release(struct maps *maps) {
    if (maps->spans)
        os_unmap(maps->spans, SPANS_SIZE);
    maps->spans = NULL;
}

/* ---- The touched pages of the process. */

#define PAGE UINT64_C(4096)

/* Present or swapped (Linux, Documentation/admin-guide/mm/pagemap.rst). */
#define PAGEMAP_TOUCHED (UINT64_C(3) << 62)

int pages_open(void) {
    return (int)syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/pagemap", O_RDONLY | O_CLOEXEC);
}

bool pages_touched(struct pages *pages, int pagemap, uintptr_t address) {
    uint64_t page = address / PAGE;
    if (pagemap < 0)
        return true;
    if (page - pages->first >= pages->count) {
        pages->first = page - page % PAGES_KNOWN;
        long read = syscall(SYS_pread64, pagemap, pages->touched, sizeof pages->touched, pages->first * 8);
        pages->count = read > 0 ? (size_t)read / 8 : 0;
    }
    return page - pages->first >= pages->count || pages->touched[page - pages->first] & PAGEMAP_TOUCHED;
}
