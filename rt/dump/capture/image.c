/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A copy of the pages of a process. */
#include "dump/capture/image.h"

#include "base/sort.h"
#include "dump/base/memory.h"
#include "dump/process/process.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE UINT64_C(4096)

/* Linux, Documentation/admin-guide/mm/pagemap.rst: present or swapped. */
#define PAGEMAP_TOUCHED (UINT64_C(3) << 62)

enum { ENTRIES = 8192 };

bool image_open(struct image *image, unsigned pid, struct reason *why) {
    char path[32];
    snprintf(path, sizeof path, "/proc/%u/pagemap", pid);
    *image = (struct image){.pagemap = open(path, O_RDONLY | O_CLOEXEC)};
    return image->pagemap >= 0 || process_refuses(pid, why);
}

void image_close(struct image *image) {
    close(image->pagemap);
    free(image->runs);
    if (image->bytes)
        munmap(image->bytes, image->room_bytes);
}

bool image_make_room(struct image *image, uint64_t size, struct reason *why) {
    size = (size + (UINT64_C(1) << 21)) & -(UINT64_C(1) << 21);
    void *bytes =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bytes == MAP_FAILED)
        return reason_errno(why);
    madvise(bytes, size, MADV_HUGEPAGE);
    madvise(bytes, size, MADV_POPULATE_WRITE);
    image->bytes = bytes;
    image->room_bytes = size;
    return true;
}

static void add_page(struct image *image, uint64_t address) {
    struct image_run *last = image->count ? &image->runs[image->count - 1] : NULL;
    if (last && last->address + last->size == address) {
        last->size += PAGE;
        return;
    }
    memory_grow(&image->runs, image->count, &image->room, sizeof *image->runs);
    image->runs[image->count++] = (struct image_run){address, PAGE, NULL};
}

static uint64_t want_touched(struct image *image, uint64_t page, const uint64_t *entries, size_t count) {
    uint64_t size = 0;
    for (size_t i = 0; i < count; i++)
        if (entries[i] & PAGEMAP_TOUCHED) {
            add_page(image, (page + i) * PAGE);
            size += PAGE;
        }
    return size;
}

uint64_t image_want(struct image *image, uint64_t begin, uint64_t end) {
    uint64_t entries[ENTRIES], size = 0, behind = (end + PAGE - 1) / PAGE;
    for (uint64_t page = begin / PAGE; page < behind;) {
        size_t count = behind - page < ENTRIES ? behind - page : ENTRIES;
        ssize_t got =
            pread(image->pagemap, entries, count * sizeof *entries, (off_t)(page * sizeof *entries));
        if (got <= 0)
            break;
        count = (size_t)got / sizeof *entries;
        size += want_touched(image, page, entries, count);
        page += count;
    }
    image->size += size;
    return size;
}

void image_want_none(struct image *image) {
    image->count = 0;
    image->size = 0;
}

/* Two mappings may share a page of a table. */
static void drop_doubles(struct image *image) {
    size_t kept = 0;
    qsort(image->runs, image->count, sizeof *image->runs, compare_first_u64);
    for (size_t i = 0; i < image->count; i++) {
        struct image_run run = image->runs[i];
        const struct image_run *last = kept ? &image->runs[kept - 1] : NULL;
        uint64_t begin =
            last && last->address + last->size > run.address ? last->address + last->size : run.address;
        if (run.address + run.size <= begin)
            continue;
        image->runs[kept++] = (struct image_run){begin, run.address + run.size - begin, NULL};
    }
    image->count = kept;
}

/* Pages of devices and the like cannot be read: what is before them is. */
static void copy_pages(struct remote_memory *memory, struct image_run *run, char *to) {
    uint64_t size = 0;
    while (size < run->size && remote_read(memory, run->address + size, to + size, PAGE))
        size += PAGE;
    run->size = size;
}

static void copy_some(struct remote_memory *memory, struct image_run *runs, size_t count, char *to) {
    struct iovec here[IOV_MAX], there[IOV_MAX];
    for (size_t i = 0; i < count; i++) {
        here[i] = (struct iovec){to, runs[i].size};
        there[i] = (struct iovec){(void *)(uintptr_t)runs[i].address, runs[i].size};
        runs[i].bytes = to;
        to += runs[i].size;
    }
    if (remote_read_all(memory, here, there, count))
        return;
    for (size_t i = 0; i < count; i++)
        copy_pages(memory, &runs[i], here[i].iov_base);
}

bool image_copy(struct image *image, struct remote_memory *memory, struct reason *why) {
    drop_doubles(image);
    if (image->size > image->room_bytes) {
        munmap(image->bytes, image->room_bytes);
        image->bytes = NULL;
        if (!image_make_room(image, image->size, why))
            return false;
    }
    char *to = image->bytes;
    for (size_t i = 0; i < image->count; i += IOV_MAX) {
        size_t count = image->count - i < IOV_MAX ? image->count - i : IOV_MAX, size = 0;
        for (size_t run = i; run < i + count; run++)
            size += image->runs[run].size;
        copy_some(memory, image->runs + i, count, to);
        to += size;
    }
    return true;
}

/* ---- Looking into it. */

size_t image_behind(const struct image *image, uint64_t address) {
    size_t next = sorted_up_to(image->runs, image->count, sizeof *image->runs,
                               offsetof(struct image_run, address), address);
    bool is_in = next && address - image->runs[next - 1].address < image->runs[next - 1].size;
    return is_in ? next - 1 : next;
}

const char *image_at(const struct image *image, uint64_t address, uint64_t *size) {
    size_t i = image_behind(image, address);
    const struct image_run *run = &image->runs[i];
    if (i == image->count || run->address > address)
        return NULL;
    uint64_t left = run->size - (address - run->address);
    *size = *size < left ? *size : left;
    return run->bytes + (address - run->address);
}

bool image_read(const struct image *image, uint64_t address, void *to, size_t size) {
    while (size) {
        uint64_t part = size;
        const char *from = image_at(image, address, &part);
        if (!from)
            return false;
        memcpy(to, from, part);
        to = (char *)to + part;
        address += part;
        size -= part;
    }
    return true;
}
