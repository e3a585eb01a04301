/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Allocates ten blocks with each function: every [trace|check] [FUNCTION]. Fills the last block of FUNCTION and one
 * byte beyond it, which a checker detects when the block is freed. The value is 1 because glibc's malloc.check never uses it
 * as a block's magic byte: it takes other values there for distances to the magic byte, and may find an older one. */
#define _GNU_SOURCE
#include <malloc.h>
#include <mcheck.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

static char *volatile sink;
static const char *damaged = "";
static int round_number;

static void end(const char *function, void *block, size_t n) {
    char *p = sink = block;
    if (round_number == 9 && strcmp(function, damaged) == 0)
        memset(p, 1, n + 1);
    free(p);
}

static void every(void) {
    void *p = NULL;
    char *text;
    end("malloc", malloc(20), 20);
    end("calloc", calloc(3, 8), 24);
    end("realloc", realloc(malloc(30), 300), 300);
    end("reallocarray", reallocarray(malloc(40), 10, 40), 400);
    end("aligned_alloc", aligned_alloc(64, 120), 120);
    end("memalign", memalign(64, 120), 120);
    if (posix_memalign(&p, 64, 120))
        _exit(1);
    end("posix_memalign", p, 120);
    end("valloc", valloc(100), 100);
    end("strdup", strdup("twenty-three characters"), 24);
    end("strndup", strndup("twenty-three characters", 10), 11);
    end("wcsdup", wcsdup(L"five5"), 24);
    int n = asprintf(&text, "%d", round_number);
    end("asprintf", text, (size_t)n + 1);
    end("getcwd", text = getcwd(NULL, 4000), 4000);
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "trace") == 0)
        mtrace();
    if (argc > 1 && strcmp(argv[1], "check") == 0 && mcheck(NULL))
        return 2;
    damaged = argc > 2 ? argv[2] : "";
    for (; round_number < 10; round_number++)
        every();
    if (argc > 1 && strcmp(argv[1], "perturb") == 0) {
        unsigned char *p = malloc(600);
        printf("%02x\n", p[300]);
        free(p);
    }
    return write(1, "done\n", 5) == 5 ? 3 : 1;
}
