/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The memory of another process. */
#include "remote_memory.h"
#include "grow.h"
#include "outside.h"
#include "process.h"

#include "../profile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A call takes as long as copying so many bytes. */
enum { CALL = 256 };

struct remote_page {
    uint64_t address;
    char *bytes; /* NULL: it is not there */
};

void remote_memory_open(struct remote_memory *memory, unsigned pid) {
    *memory = (struct remote_memory){.pid = pid, .fd = -1, .budget = outside_budget(process_memory(pid))};
    memory->left = memory->budget;
}

bool remote_spend(struct remote_memory *memory, uint64_t size) {
    bool is_left = size <= memory->left;
    memory->left = is_left ? memory->left - size : 0;
    return is_left;
}

void remote_memory_close(struct remote_memory *memory) {
    for (size_t i = 0; i < memory->count; i++)
        free(memory->pages[i].bytes);
    free(memory->pages);
    hash_free(&memory->index);
    if (memory->fd >= 0)
        close(memory->fd);
}

/* Containers refuse the system call to programs that may read the file. False: errno is the call's. */
static bool use_file(struct remote_memory *memory) {
    int error = errno;
    char path[32];
    snprintf(path, sizeof path, "/proc/%u/mem", memory->pid);
    if (error == EPERM || error == ENOSYS)
        memory->fd = open(path, O_RDONLY | O_CLOEXEC);
    errno = error;
    return memory->fd >= 0;
}

static ssize_t read_some(struct remote_memory *memory, uint64_t address, void *to, size_t size) {
    struct iovec here = {to, size}, there = {(void *)(uintptr_t)address, size};
    if (memory->fd < 0) {
        ssize_t count = process_vm_readv((pid_t)memory->pid, &here, 1, &there, 1, 0);
        if (count >= 0 || !use_file(memory))
            return count;
    }
    if (address > INT64_MAX) {
        errno = EFAULT;
        return -1;
    }
    return pread(memory->fd, to, size, (off_t)address);
}

bool remote_read(struct remote_memory *memory, uint64_t address, void *to, size_t size) {
    if (!remote_spend(memory, CALL)) {
        errno = EOVERFLOW;
        return false;
    }
    while (size) {
        ssize_t count = read_some(memory, address, to, size);
        if (count == 0)
            errno = EFAULT;
        if (count <= 0)
            return false;
        to = (char *)to + count;
        address += (uint64_t)count;
        size -= (size_t)count;
    }
    return true;
}

static bool read_at_once(struct remote_memory *memory, const struct iovec *here, const struct iovec *there,
                         size_t count) {
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += here[i].iov_len;
    return memory->fd < 0 &&
           process_vm_readv((pid_t)memory->pid, here, count, there, count, 0) == (ssize_t)size;
}

bool remote_read_all(struct remote_memory *memory, const struct iovec *here, const struct iovec *there,
                     size_t count) {
    for (size_t from = 0, part; from < count; from += part) {
        part = count - from < IOV_MAX ? count - from : IOV_MAX;
        if (read_at_once(memory, here + from, there + from, part))
            continue;
        for (size_t i = from; i < from + part; i++)
            if (!remote_read(memory, (uintptr_t)there[i].iov_base, here[i].iov_base, here[i].iov_len))
                return false;
    }
    return true;
}

static bool is_page(const void *key, const void *context, size_t element) {
    const struct remote_memory *memory = context;
    return memory->pages[element].address == *(const uint64_t *)key;
}

static bool add_page(struct remote_memory *memory, uint64_t address) {
    char *bytes = malloc(PROFILE_PAGE);
    if (!bytes || !grow(&memory->pages, memory->count, &memory->room, sizeof *memory->pages) ||
        !hash_add(&memory->index, hash_number(0, address), memory->count)) {
        free(bytes);
        memory->is_out_of_memory = true;
        return false;
    }
    if (!remote_read(memory, address, bytes, PROFILE_PAGE)) {
        free(bytes);
        bytes = NULL;
    }
    memory->pages[memory->count++] = (struct remote_page){address, bytes};
    return true;
}

/* The page that holds the address. NULL: it is not there. */
static const char *page_of(struct remote_memory *memory, uint64_t address) {
    uint64_t start = address & -(uint64_t)PROFILE_PAGE;
    size_t found = hash_find(&memory->index, hash_number(0, start), is_page, &start, memory);
    if (found != HASH_NONE)
        return memory->pages[found].bytes;
    if (!remote_spend(memory, PROFILE_PAGE) || !add_page(memory, start))
        return NULL;
    return memory->pages[memory->count - 1].bytes;
}

/* How much of size bytes is on the page of the address. */
static size_t on_page(uint64_t address, size_t size) {
    size_t left = PROFILE_PAGE - address % PROFILE_PAGE;
    return size < left ? size : left;
}

bool remote_peek(struct remote_memory *memory, uint64_t address, void *to, size_t size) {
    while (size) {
        const char *page = page_of(memory, address);
        size_t part = on_page(address, size);
        if (!page)
            return false;
        memcpy(to, page + address % PROFILE_PAGE, part);
        to = (char *)to + part;
        address += part;
        size -= part;
    }
    return true;
}

const char *remote_text(struct remote_memory *memory, uint64_t address) {
    size_t length = 0;
    while (length < REMOTE_TEXT_SIZE - 1) {
        const char *page = page_of(memory, address + length);
        size_t part = on_page(address + length, REMOTE_TEXT_SIZE - 1 - length);
        if (!page)
            return NULL;
        const char *from = page + (address + length) % PROFILE_PAGE, *end = memchr(from, 0, part);
        memcpy(memory->text + length, from, end ? (size_t)(end - from) : part);
        length += end ? (size_t)(end - from) : part;
        if (end)
            break;
    }
    memory->text[length] = '\0';
    return remote_spend(memory, length) ? memory->text : NULL;
}
