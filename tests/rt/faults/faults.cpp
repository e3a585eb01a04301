/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// One mistake per run: faults CASE [caught]. The comments have the lines where the block comes from and where it is
// freed wrongly, and the kind of fault. caught: the program continues when the allocator aborts.
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <pthread.h>

#define NOINLINE __attribute__((noinline))

// Hides a pointer from the optimizer.
template <class T> static NOINLINE T *hidden(T *p) {
    __asm__ volatile("" : "+r"(p) : : "memory");
    return p;
}

static void free_twice() {
    char *p = hidden((char *)malloc(100)); // gives free_twice
    free(p);
    free(hidden(p)); // free_twice is double_free
}

static void free_large_twice() {
    char *p = hidden((char *)malloc(5000)); // gives free_large_twice
    void *wall = hidden(malloc(100));
    free(p);
    free(hidden(p)); // free_large_twice is double_free
    free(wall);
}

static void delete_twice() {
    int *p = hidden(new int(1)); // gives delete_twice
    delete p;
    delete hidden(p); // delete_twice is double_free
}

static void free_unsited() {
    void (*volatile release)(void *) = free;
    char *p = hidden((char *)malloc(100)); // gives free_unsited
    release(p);
    release(hidden(p)); // free_unsited unsited double_free
}

static void free_in_thread() {
    pthread_t thread;
    char *p = hidden((char *)malloc(100)); // gives free_in_thread
    free(p);
    auto again = [](void *freed) -> void * {
        free(freed); // free_in_thread is double_free
        return nullptr;
    };
    pthread_create(&thread, nullptr, again, p);
    pthread_join(thread, nullptr);
}

static void realloc_freed() {
    char *p = hidden((char *)malloc(100)); // gives realloc_freed
    free(p);
    p = (char *)realloc(hidden(p), 100); // realloc_freed is double_free
    hidden(p);
}

static void free_stack() {
    alignas(16) char place[64] = {}; // here the allocator reads a size
    free(hidden(place + 16)); // free_stack is foreign
}

static void free_static() {
    alignas(16) static char place[64];
    free(hidden(place + 16)); // free_static is foreign
}

static void free_inside() {
    char *p = hidden((char *)malloc(100));
    free(hidden(p + 32)); // free_inside is foreign
    free(p);
}

static void free_inside_large() {
    char *p = hidden((char *)malloc(100000));
    free(hidden(p + 1024)); // free_inside_large is foreign
    free(p);
}

static void free_misaligned() {
    char *p = hidden((char *)malloc(100));
    free(hidden(p + 1)); // free_misaligned is foreign
    free(p);
}

static void free_number() {
    free(hidden((char *)0xdead000000000010)); // free_number is foreign
}

static void new_free() {
    free(hidden(new int(1))); // gives new_free, new_free is mismatch
}

static void new_realloc() {
    int *p = hidden(new int(1));            // gives new_realloc
    void *q = hidden(realloc(p, 1000)); // new_realloc is mismatch
    free(q);
}

static void malloc_delete() {
    delete hidden((int *)malloc(4)); // gives malloc_delete, malloc_delete is mismatch
}

static void malloc_delete_array() {
    delete[] hidden((int *)malloc(400)); // gives malloc_delete_array, malloc_delete_array is mismatch
}

static void calloc_delete_large() {
    char *p = hidden((char *)calloc(10, 1000)); // gives calloc_delete_large
    delete p;                                   // calloc_delete_large is mismatch
}

static void strdup_delete() {
    delete hidden(strdup("a string")); // gives strdup_delete, strdup_delete is mismatch
}

static void new_array_delete() {
    delete hidden(new int[10]); // gives new_array_delete, new_array_delete is array_mismatch
}

static void new_delete_array() {
    delete[] hidden(new int(1)); // gives new_delete_array, new_delete_array is array_mismatch
}

static void new_array_large_delete() {
    delete hidden(new int[1000]); // gives new_array_large_delete, new_array_large_delete is array_mismatch
}

struct alignas(64) Wide {
    char bytes[64];
};

static void new_aligned_delete_array() {
    delete[] hidden(new Wide); // gives new_aligned_delete_array, new_aligned_delete_array is array_mismatch
}

static void nothrow_free() {
    free(hidden(new (std::nothrow) int(1))); // gives nothrow_free, nothrow_free is mismatch
}

static void often() {
    for (int i = 0; i < 1000; i++)
        free(hidden(new int(1))); // gives often, often is mismatch 1000
}

template <int N> static NOINLINE void one_of_many() {
    free(hidden(new int(N)));
    if constexpr (N > 1)
        one_of_many<N - 1>();
}

// Each instance of the template has its own sites.
static void many() {
    one_of_many<30>();
}

#define CASE(name)                                                                                                     \
    { #name, name }
static const struct {
    const char *name;
    void (*run)();
} cases[] = {CASE(free_twice),     CASE(free_large_twice),    CASE(delete_twice),           CASE(free_unsited),
             CASE(free_in_thread), CASE(realloc_freed),       CASE(free_stack),             CASE(free_static),
             CASE(free_inside),    CASE(free_inside_large),   CASE(free_misaligned),        CASE(free_number),
             CASE(new_free),       CASE(new_realloc),         CASE(malloc_delete),          CASE(malloc_delete_array),
             CASE(strdup_delete),  CASE(calloc_delete_large), CASE(new_array_delete),       CASE(new_delete_array),
             CASE(nothrow_free),   CASE(often),               CASE(new_array_large_delete), CASE(many),
             CASE(new_aligned_delete_array)};

static sigjmp_buf onward;

int main(int argc, char **argv) {
    if (const char *path = getenv("OVERWRITE")) // as another process could
        fclose(fopen(path, "w"));
    if (argc > 2)
        signal(SIGABRT, [](int) { siglongjmp(onward, 1); });
    for (auto &one : cases)
        if (strcmp(argv[1], one.name) == 0 && !sigsetjmp(onward, 1))
            one.run();
    return 3;
}
