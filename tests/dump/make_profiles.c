/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// make_profiles FOLDER COUNT SITES [sizes]: writes profiles FOLDER/0, FOLDER/1 ... with SITES sites each, as
// of processes of one program whose counts differ.
#include "dump/profile/image.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME = 32, CHAIN = 3, MODULE_EVERY = 100 };

struct program {
    struct report_site *rows, **sites;
    uint64_t (*sizes)[SIZE_CLASSES];
    struct place *chains;
    char (*names)[NAME];
    size_t count;
};

static void *array(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory)
        exit(1);
    return memory;
}

static void name_site(struct program *program, size_t i) {
    struct site_view *view = &program->rows[i].view;
    struct place *chain = &program->chains[i * CHAIN];
    snprintf(program->names[i], NAME, "function_%zu", i / 4);
    *view = (struct site_view){
        .id = 0x9E3779B97F4A7C15u * (i + 1),
        .module = i % MODULE_EVERY ? "/usr/bin/program" : program->names[i],
        .sited = i % MODULE_EVERY,
    };
    if (!view->sited)
        return;
    view->at = (struct place){program->names[i], "/home/user/program/source.c", (uint32_t)i, 8};
    view->callee = i % 2 ? "malloc" : "realloc";
    view->inlined = chain;
    view->inlined_count = i % (CHAIN + 1);
    for (size_t k = 0; k < view->inlined_count; k++)
        chain[k] =
            (struct place){program->names[i - k - 1], "/home/user/program/source.c", (uint32_t)(i - k), 2};
}

static struct program program_of(size_t count, bool with_sizes) {
    struct program program = {
        .rows = array(count, sizeof(struct report_site)),
        .sites = array(count, sizeof(struct report_site *)),
        .sizes = with_sizes ? array(count, sizeof *program.sizes) : NULL,
        .chains = array(count * CHAIN, sizeof(struct place)),
        .names = array(count, NAME),
        .count = count,
    };
    for (size_t i = 0; i < count; i++) {
        program.sites[i] = &program.rows[i];
        name_site(&program, i);
    }
    return program;
}

// A site allocates, reallocates half of its blocks, and frees half; its live blocks are always the maximum.
static void count_site(struct program *program, size_t i, uint64_t process) {
    uint64_t n = 2 * (1 + (i * 7 + process * 13) % 50);
    struct report_site *row = &program->rows[i];
    row->counters = (struct counters){
        .allocs = n,
        .alloc_bytes = 64 * n,
        .reallocs = n / 2,
        .realloc_bytes = 128 * (n / 2),
        .realloc_old_bytes = 64 * (n / 2),
        .frees = n / 2,
        .freed_bytes = 128 * (n / 2),
        .moved = n / 2,
        .moved_bytes = 64 * (n / 2),
        .live_blocks = n / 2,
        .live_bytes = 64 * (n / 2),
        .failed = i % 3,
        .peak_bytes = 64 * n,
        .peak_blocks = n,
        .max_live_blocks = n,
    };
    if (!program->sizes)
        return;
    memset(program->sizes[i], 0, sizeof program->sizes[i]);
    program->sizes[i][size_class(64)] = n;
    program->sizes[i][size_class(128)] = n / 2;
    row->sizes = program->sizes[i];
}

static int write_process(struct program *program, uint64_t process, const char *path) {
    for (size_t i = 0; i < program->count; i++)
        count_site(program, i, process);
    struct report report = {
        .program = "/usr/bin/program",
        .pid = 1000 + process,
        .finished = process % 10 != 0,
        .sites = program->sites,
        .site_count = program->count,
    };
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    struct profile_image image;
    bool is_written = profile_merged(&image, &report) && fd >= 0 &&
                      write(fd, image.bytes, image.size) == (ssize_t)image.size && close(fd) == 0;
    profile_image_free(&image);
    return !is_written;
}

int main(int count, char **arguments) {
    if (count < 4)
        return 2;
    struct program program = program_of((size_t)atol(arguments[3]), count > 4);
    for (uint64_t process = 0; process < (uint64_t)atol(arguments[2]); process++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%lu", arguments[1], (unsigned long)process);
        if (write_process(&program, process, path))
            return 1;
    }
}
