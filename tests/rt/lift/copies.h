/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Functions that each file has a copy of, whichever the linker keeps. They are not inlined, as large ones
// would not be.
#include <cstddef>
#include <cstdlib>
#include <new>
#include <stdexcept>

#define ALONE __attribute__((noinline))

ALONE inline void *grab(std::size_t n) {
    void *p = std::malloc(n);
    if (!p)
        throw std::bad_alloc();
    return p;
}

/* What it allocates first is its own. */
ALONE inline void *remember(std::size_t n) {
    static void *last = std::malloc(3);
    void *p = grab(n);
    last = last == p ? p : last;
    return p;
}

template <class T> struct Array {
    T *items;
    std::size_t count;
    ALONE explicit Array(std::size_t n) : items(static_cast<T *>(grab(n * sizeof(T)))), count(n) {}
    ALONE T *copy(int times) {
        return times ? copy(times - 1) : static_cast<T *>(std::malloc(count * sizeof(T)));
    }
    ALONE static T *checked(std::size_t n) {
        if (n > 100)
            throw std::length_error("too long");
        return static_cast<T *>(std::malloc(n * sizeof(T)));
    }
};

/* Its code stands in one file, which instantiates it explicitly. */
template <class T> struct Pool {
    static T *take(std::size_t n);
    template <class U> static U *give(std::size_t n);
};

void *others(std::size_t n);
void *(*pointer())(std::size_t);
