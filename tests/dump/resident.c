/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A heap of which a few blocks keep many pages. Prints its own books of the pages of which live blocks use at
 * most half, "LINE KEPT PAGES BYTES BLOCKS" for two lines that allocate, and the bytes of all blocks; then
 * waits for the end of its input. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { BLOCKS = 30000, SIZE = 600, RARE = 37, PAGE = 4096 };

static struct block {
    uintptr_t address;
    size_t size;
    int line; /* index in lines */
} live[BLOCKS];

static void *blocks[BLOCKS];
static int lines[2];
static long kept[2], pages[2], bytes[2], counts[2];

static void allocate(void) {
    for (int i = 0; i < BLOCKS; i++) {
        if (i % RARE == 0) {
            blocks[i] = malloc(SIZE), lines[0] = __LINE__;
        } else {
            blocks[i] = malloc(SIZE - 8), lines[1] = __LINE__;
        }
        memset(blocks[i], 1, SIZE - 8);
    }
}

/* The bytes of a block in a page. */
static long within(const struct block *block, uintptr_t page) {
    uintptr_t begin = block->address > page ? block->address : page;
    uintptr_t end = block->address + block->size < page + PAGE ? block->address + block->size : page + PAGE;
    return end > begin ? (long)(end - begin) : 0;
}

/* All blocks lie at ascending addresses, so the blocks of a page are neighbours. */
static void keep_books(int count) {
    uintptr_t last = 0;
    for (int i = 0; i < count; i++)
        for (uintptr_t page = live[i].address / PAGE * PAGE; page < live[i].address + live[i].size;
             page += PAGE) {
            long used = 0, of[2] = {0, 0};
            if (page <= last)
                continue;
            last = page;
            for (int k = i > 20 ? i - 20 : 0; k < count && live[k].address < page + PAGE; k++) {
                used += within(&live[k], page);
                of[live[k].line] += within(&live[k], page);
            }
            if (used > PAGE / 2)
                continue;
            for (int k = i > 20 ? i - 20 : 0; k < count && live[k].address < page + PAGE; k++)
                if (within(&live[k], page)) {
                    kept[live[k].line] += (PAGE - used) * within(&live[k], page) / used;
                    counts[live[k].line] +=
                        live[k].address >= page; /* or it was counted in the page before */
                }
            for (int line = 0; line < 2; line++) {
                pages[line] += of[line] > 0;
                bytes[line] += of[line];
            }
        }
}

int main(void) {
    static char buffer[4096];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    allocate();
    int count = 0;
    for (int i = 0; i < BLOCKS; i++) {
        bool has_neighbour = i % RARE == 1 && i % 2; /* pages with blocks of both lines */
        if (i % RARE == 0 || has_neighbour || i > BLOCKS - 1000) {
            live[count++] = (struct block){(uintptr_t)blocks[i], i % RARE ? SIZE - 8 : SIZE, i % RARE != 0};
        } else
            free(blocks[i]);
    }
    char *map = mmap(NULL, 3 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    memset(map, 1, 3 << 20);
    keep_books(count);
    for (int line = 0; line < 2; line++)
        printf("%d %ld %ld %ld %ld\n", lines[line], kept[line], pages[line], bytes[line], counts[line]);
    printf("live %d\n", count);
    fflush(stdout);
    getc(stdin);
    return 0;
}
