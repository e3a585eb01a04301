/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Forks while another thread holds the dynamic loader's lock. The children of fork call functions that the
// parent has not called. The others only allocate, and have no fork handlers.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <link.h>
#include <new>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static std::atomic<bool> ended;

static int hold(dl_phdr_info *, size_t, void *) {
    usleep(2000);
    return 1;
}

static void *load(void *unused) {
    while (!ended) {
        dl_iterate_phdr(hold, nullptr);
        usleep(200);
    }
    return unused;
}

template <class T> static T *hidden(T *p) {
    __asm__ volatile("" : "+r"(p) : : "memory");
    return p;
}

struct alignas(64) Line {
    char bytes[64];
};

static void use() {
    delete hidden(new int(1));
    delete[] hidden(new (std::nothrow) char[100]);
    delete hidden(new Line());
    free(hidden(malloc(10)));
    free(hidden(strdup("text")));
    fclose(stdin);
    pthread_t thread;
    pthread_create(
        &thread, nullptr, [](void *unused) { return unused; }, nullptr);
    pthread_join(thread, nullptr);
}

static void allocate() {
    free(hidden(malloc(10)));
}

static pid_t fork_by(int kind) {
    return kind == 0 ? fork() : static_cast<pid_t>(kind == 1 ? syscall(SYS_fork) : _Fork());
}

int main() {
    allocate();
    pthread_t thread;
    pthread_create(&thread, nullptr, load, nullptr);
    for (int i = 0; i < 12; i++) {
        int status = 1;
        pid_t child = fork_by(i % 3);
        if (!child) {
            i % 3 ? allocate() : use();
            i % 3 ? _exit(0) : exit(0);
        }
        if (waitpid(child, &status, 0) != child || status != 0)
            std::puts("failed");
    }
    ended = true;
    pthread_join(thread, nullptr);
    std::puts("done");
    return 3;
}
