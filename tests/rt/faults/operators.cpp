/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Every form of new with its delete, and replaced operators in all styles, selected by a macro. Everything here is
// correct.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <memory_resource>
#include <new>
#include <string>
#include <thread>
#include <vector>

#if defined BY_MALLOC
void *operator new(size_t n) { return malloc(n ? n : 1); }
void operator delete(void *p) noexcept { free(p); }
void operator delete(void *p, size_t) noexcept { free(p); }
#elif defined NEW_ONLY
void *operator new(size_t n) { return malloc(n ? n : 1); }
#elif defined DELETE_ONLY
void operator delete(void *p) noexcept { free(p); }
#elif defined BEHIND_A_HEADER
static void *shifted(size_t n) { return static_cast<char *>(malloc(n + 32)) + 32; }
static void unshifted(void *p) { free(p ? static_cast<char *>(p) - 32 : nullptr); }
void *operator new(size_t n) { return shifted(n); }
void *operator new[](size_t n) { return shifted(n); }
// The nothrow forms of the underlying allocator would not call the two operators above.
void *operator new(size_t n, const std::nothrow_t &) noexcept { return shifted(n); }
void *operator new[](size_t n, const std::nothrow_t &) noexcept { return shifted(n); }
void operator delete(void *p) noexcept { unshifted(p); }
void operator delete(void *p, size_t) noexcept { unshifted(p); }
void operator delete(void *p, const std::nothrow_t &) noexcept { unshifted(p); }
void operator delete[](void *p) noexcept { unshifted(p); }
void operator delete[](void *p, size_t) noexcept { unshifted(p); }
void operator delete[](void *p, const std::nothrow_t &) noexcept { unshifted(p); }
#elif defined IN_AN_ARENA
// Some blocks come from an arena that malloc does not know, the others from malloc.
alignas(16) static char arena[1 << 16];
static size_t used;
static bool is_in_arena(void *p) { return p >= arena && p < arena + sizeof arena; }
void *operator new(size_t n) {
    n = (n + 16) & ~size_t(15);
    if (used + n > sizeof arena || n > 64)
        return malloc(n);
    used += n;
    return arena + used - n;
}
void operator delete(void *p) noexcept {
    if (!is_in_arena(p))
        free(p);
}
void operator delete(void *p, size_t) noexcept { operator delete(p); }
#elif defined ALIGNED_ONLY
void *operator new(size_t n, std::align_val_t align) {
    return aligned_alloc(size_t(align), (n + size_t(align) - 1) & -size_t(align));
}
void operator delete(void *p, std::align_val_t) noexcept { free(p); }
void operator delete(void *p, size_t, std::align_val_t) noexcept { free(p); }
#endif

template <class T> static T *hidden(T *p) {
    __asm__ volatile("" : "+r"(p) : : "memory");
    return p;
}

struct Owner { // the array form stores a count before the objects
    std::string name = "a name that is too long for the string itself";
    ~Owner() { hidden(this); }
};

struct alignas(128) Wide {
    char bytes[256];
};

struct Pooled { // a class with its own operators, based on malloc
    int value;
    static void *operator new(size_t n) { return malloc(n); }
    static void operator delete(void *p) { free(p); }
    static void *operator new[](size_t n) { return malloc(n); }
    static void operator delete[](void *p) { free(p); }
};

struct Base {
    virtual ~Base() = default;
};

struct Derived : Base {
    std::vector<int> values = std::vector<int>(1000);
};

struct Thrower {
    std::string name = "a name that is too long for the string itself";
    Thrower() { throw 1; }
};

static void plain_forms() {
    delete hidden(new int);
    delete[] hidden(new int[100]);
    delete[] hidden(new char[100000]);
    delete hidden(new Owner);
    delete[] hidden(new Owner[5]);
    delete hidden((int *)nullptr);
    free(hidden((int *)nullptr));
}

static void nothrow_forms() {
    delete hidden(new (std::nothrow) int);
    delete[] hidden(new (std::nothrow) int[100]);
    delete[] hidden(new (std::nothrow) Owner[5]);
    operator delete(operator new(10, std::nothrow), std::nothrow);
    operator delete[](operator new[](10, std::nothrow), std::nothrow);
}

static void aligned_forms() {
    delete hidden(new Wide);
    delete[] hidden(new Wide[10]);
    delete hidden(new (std::nothrow) Wide);
    operator delete(operator new(64, std::align_val_t(64)), std::align_val_t(64));
    operator delete(operator new(640, std::align_val_t(64)), 640, std::align_val_t(64));
    operator delete[](operator new[](64, std::align_val_t(64), std::nothrow), std::align_val_t(64), std::nothrow);
}

static void sized_forms() {
    operator delete(operator new(100), size_t(100));
    operator delete[](operator new[](100), size_t(100));
    operator delete(operator new(10000), size_t(10000));
}

static void class_forms() {
    delete hidden(new Pooled);
    delete[] hidden(new Pooled[10]);
    delete hidden(static_cast<Base *>(new Derived));
    try {
        new Thrower;
    } catch (int) {
    }
    try {
        hidden(new Thrower[3]);
    } catch (int) {
    }
}

static void library_forms() {
    auto shared = std::make_shared<Owner>();
    std::thread([shared] { auto copy = std::make_unique<Owner[]>(3); }).join();
    std::unique_ptr<char, decltype(&free)> held(static_cast<char *>(malloc(10)), free);
    std::pmr::monotonic_buffer_resource resource;
    std::pmr::vector<int> values(1000, &resource);
    alignas(Owner) char place[sizeof(Owner)];
    hidden(new (place) Owner)->~Owner();
}

int main() {
    for (int i = 0; i < 3; i++) {
        plain_forms();
        nothrow_forms();
        aligned_forms();
        sized_forms();
        class_forms();
        library_forms();
    }
    puts("done");
    return 3;
}
