/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Values that finished calls left on the stack and in registers keep nothing reachable. The argument says how the run
// ends.
#include "common.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LEAKS = 512 };

// The addresses of all blocks remain in dead memory when this returns, also above it, and are never
// overwritten.
NOINLINE static void leak_from_array(void) {
    void *volatile dead[4096];
    for (int i = 0; i < 4096; i++)
        dead[i] = NULL;
    for (int i = 0; i < LEAKS; i++)
        dead[i * 8 + i % 8] = malloc(24); // @ lost 512 12288
}

static void end(const char *how) {
    puts("done");
    fflush(stdout);
    if (*how == 'q')
        quick_exit(3);
    if (*how == '_')
        _exit(3);
    if (*how != 'm')
        exit(3);
}

// Active frames below which exit is called, each with the only pointer to a block.
NOINLINE static void end_deep(const char *how, int depth) {
    void *volatile alive = malloc(40 + (size_t)depth);
    void *volatile from_array[64];
    for (int i = 0; i < 64; i++)
        from_array[i] = NULL;
    from_array[depth] = malloc(100);
    if (depth)
        end_deep(how, depth - 1);
    else {
        leak_from_array();
        end(how);
    }
    lose(alive);
}

// Only a callee-saved register has the address of the block.
NOINLINE static void end_with_register(const char *how) {
    register void *in_register __asm__("rbx") = malloc(30);
    __asm__ volatile("" : "+r"(in_register));
    leak_from_array();
    end(how);
    __asm__ volatile("" : : "r"(in_register));
    lose(in_register);
}

static void *end_in_thread(void *how) {
    if (*(const char *)how == 'd')
        end_deep(how, 10);
    else
        end_with_register(how);
    return NULL;
}

static void handle(int number) {
    void *volatile alive = malloc(50);
    (void)number;
    leak_from_array();
    end("handler");
    lose(alive);
}

// The frame of main is dead after it has returned and keeps nothing reachable.
NOINLINE static int return_from_main(void) {
    leak_from_array();
    end("main");
    return 3;
}

int main(int count, char **arguments) {
    const char *how = count > 1 ? arguments[1] : "main";
    pthread_t thread;
    if (*how == 't') {
        static char deep[] = "deep";
        pthread_create(&thread, NULL, end_in_thread, deep);
        pthread_exit(NULL);
    }
    if (*how == 'p') {
        leak_from_array();
        puts("done");
        on_exit((void (*)(int, void *))fflush, NULL);
        pthread_exit(NULL);
    }
    if (*how == 's') {
        signal(SIGUSR1, handle);
        raise(SIGUSR1);
    }
    if (*how == 'd')
        end_deep(how, 20);
    if (*how == 'r' || *how == 'q' || *how == '_')
        end_with_register(how);
    return return_from_main();
}
