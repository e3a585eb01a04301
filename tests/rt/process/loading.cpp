/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Forks while another thread holds the dynamic loader's locks, that of dl_iterate_phdr or that of dlopen. The
// children call functions that the parent has not called. Only those of fork can also start a thread.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <new>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef SLOW_LIBRARY
__attribute__((constructor)) static void load_slowly() {
    usleep(2000);
}
#else

static std::atomic<bool> ended;
static const char *library; // to open; NULL: none

static int hold(dl_phdr_info *, size_t, void *) {
    usleep(2000);
    return 1;
}

static void *load(void *unused) {
    while (!ended) {
        if (library)
            dlclose(dlopen(library, RTLD_NOW));
        else
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

static void start_thread() {
    pthread_t thread;
    pthread_create(
        &thread, nullptr, [](void *unused) { return unused; }, nullptr);
    pthread_join(thread, nullptr);
}

static void use() {
    delete hidden(new int(1));
    delete[] hidden(new (std::nothrow) char[100]);
    delete hidden(new Line());
    free(hidden(malloc(10)));
    free(hidden(strdup("text")));
    fclose(stdin);
}

static void allocate() {
    free(hidden(malloc(10)));
}

static pid_t fork_by(int kind) {
    return kind == 2 ? fork() : static_cast<pid_t>(kind == 1 ? syscall(SYS_fork) : _Fork());
}

int main(int count, char **arguments) {
    library = count > 1 ? arguments[1] : nullptr;
    allocate();
    pthread_t thread;
    pthread_create(&thread, nullptr, load, nullptr);
    for (int i = 0; i < 12; i++) {
        int status = 1;
        usleep(500);
        int kind = i / 4; // fork last, because its handlers look functions up in the parent
        pid_t child = fork_by(kind);
        if (!child) {
            bool can_exit = kind == 2 && !library; // otherwise it would hang without allocsite, too
            use();
            if (can_exit)
                start_thread();
            can_exit ? exit(0) : _exit(0);
        }
        if (waitpid(child, &status, 0) != child || status != 0)
            std::puts("failed");
    }
    ended = true;
    pthread_join(thread, nullptr);
    std::puts("done");
    return 3;
}

#endif
