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

/* Linux, Documentation/admin-guide/mm/pagemap.rst: present or swapped; of a file or shared. */
#define PAGEMAP_TOUCHED (UINT64_C(3) << 62)
#define PAGEMAP_SHARED  (UINT64_C(1) << 61)

enum { ENTRIES = 8192 };

static int open_pagemap(unsigned pid) {
    char path[32];
    snprintf(path, sizeof path, "/proc/%u/pagemap", pid);
    return open(path, O_RDONLY | O_CLOEXEC);
}

bool image_open(struct image *image, unsigned pid, struct reason *why) {
    *image = (struct image){.pagemap = open_pagemap(pid)};
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

static void add_page(struct image *image, uint64_t address, bool is_shared) {
    struct image_run *last = image->count ? &image->runs[image->count - 1] : NULL;
    if (last && last->address + last->size == address && last->is_shared == is_shared) {
        last->size += PAGE;
        return;
    }
    memory_grow(&image->runs, image->count, &image->room, sizeof *image->runs);
    image->runs[image->count++] = (struct image_run){address, PAGE, NULL, is_shared};
}

/* Of some pages from one on. Returns how many there are; 0: none, or they are not known. */
static size_t read_entries(int pagemap, uint64_t page, uint64_t behind, uint64_t entries[ENTRIES]) {
    size_t count = behind - page < ENTRIES ? behind - page : ENTRIES;
    ssize_t got = pread(pagemap, entries, count * sizeof *entries, (off_t)(page * sizeof *entries));
    return got > 0 ? (size_t)got / sizeof *entries : 0;
}

uint64_t image_want(struct image *image, uint64_t begin, uint64_t end) {
    uint64_t entries[ENTRIES], size = 0, behind = (end + PAGE - 1) / PAGE;
    size_t count;
    for (uint64_t page = begin / PAGE; page < behind; page += count) {
        count = read_entries(image->pagemap, page, behind, entries);
        if (!count)
            break;
        for (size_t i = 0; i < count; i++)
            if (entries[i] & PAGEMAP_TOUCHED) {
                add_page(image, (page + i) * PAGE, entries[i] & PAGEMAP_SHARED);
                size += PAGE;
            }
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
        image->runs[kept++] = (struct image_run){begin, run.address + run.size - begin, NULL, run.is_shared};
    }
    image->count = kept;
}

/* Pages that the process keeps from its children are not there, or are empty (madvise(2)). */
static void share_run(struct image *image, int pagemap, const struct image_run *run) {
    uint64_t entries[ENTRIES], behind = (run->address + run->size) / PAGE;
    size_t count;
    for (uint64_t page = run->address / PAGE; page < behind; page += count) {
        count = read_entries(pagemap, page, behind, entries);
        for (size_t i = 0; i < count; i++)
            add_page(image, (page + i) * PAGE, run->is_shared || !(entries[i] & PAGEMAP_TOUCHED));
        if (count)
            continue;
        add_page(image, page * PAGE, true);
        count = 1;
    }
}

bool image_share(struct image *image, unsigned copy, struct reason *why) {
    struct image_run *runs = image->runs;
    size_t count = image->count;
    int pagemap = open_pagemap(copy);
    if (pagemap < 0)
        return reason_errno(why);
    image->runs = NULL;
    image->count = image->room = 0;
    for (size_t i = 0; i < count; i++)
        share_run(image, pagemap, &runs[i]);
    free(runs);
    close(pagemap);
    return true;
}

bool image_end(struct image *image, struct reason *why) {
    drop_doubles(image);
    if (image->size > image->room_bytes) {
        munmap(image->bytes, image->room_bytes);
        image->bytes = NULL;
        if (!image_make_room(image, image->size, why))
            return false;
    }
    char *to = image->bytes;
    for (size_t i = 0; i < image->count; i++) {
        image->runs[i].bytes = to;
        to += image->runs[i].size;
    }
    return true;
}

/* Pages of devices and the like cannot be read: what is before them is. */
static void copy_pages(struct remote_memory *memory, struct image_run *run) {
    uint64_t size = 0;
    while (size < run->size && remote_read(memory, run->address + size, run->bytes + size, PAGE))
        size += PAGE;
    run->size = size;
}

static void copy_some(struct remote_memory *memory, struct image_run *const *runs, size_t count) {
    struct iovec here[IOV_MAX], there[IOV_MAX];
    for (size_t i = 0; i < count; i++) {
        here[i] = (struct iovec){runs[i]->bytes, runs[i]->size};
        there[i] = (struct iovec){(void *)(uintptr_t)runs[i]->address, runs[i]->size};
    }
    if (remote_read_all(memory, here, there, count))
        return;
    for (size_t i = 0; i < count; i++)
        copy_pages(memory, runs[i]);
}

void image_copy(struct image *image, struct remote_memory *memory, bool is_shared) {
    struct image_run *runs[IOV_MAX];
    size_t count = 0;
    for (size_t i = 0; i < image->count; i++) {
        if (image->runs[i].is_shared == is_shared)
            runs[count++] = &image->runs[i];
        if (count == IOV_MAX || i + 1 == image->count) {
            copy_some(memory, runs, count);
            count = 0;
        }
    }
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
