/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Objects with pointers that are not in declared members, and words that look like pointers but cannot
// be.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <new>
#include <sstream>
#include <string>

/* Storage for an object, as in libraries: a union of bytes, in a struct with the size of the object. */
template <class Object> struct room {
    union {
        char bytes[sizeof(Object)];
        long double aligned;
    } space;
};

struct inner {
    inner *next;
    inner *other;
};

/* An allocator with state, so a string with it is larger than one without. */
template <class Object> struct counting {
    using value_type = Object;
    long count = 0;
    Object *allocate(size_t n) {
        count++;
        return std::allocator<Object>().allocate(n);
    }
    void deallocate(Object *at, size_t n) {
        std::allocator<Object>().deallocate(at, n);
    }
    bool operator==(const counting &) const {
        return true;
    }
    bool operator!=(const counting &) const {
        return false;
    }
};
using counting_string = std::basic_string<char, std::char_traits<char>, counting<char>>;

struct outer {
    room<inner> kept;
    uintptr_t marked;
    char text[16];
    int small;
    int small_too;
    counting_string counted;
    std::string *plain;
};

struct empty {};

/* The caller's line allocates both. */
__attribute__((noinline)) static void *make(size_t size) {
    return size ? malloc(size) : new empty;
}

int main() {
    inner *target = new inner();
    outer *all = new outer();
    new (&all->kept) inner{target, nullptr};
    all->marked = reinterpret_cast<uintptr_t>(target) | 1;
    memcpy(all->text + 8, &target, sizeof target);
    memcpy(all->text + sizeof all->text, &target, sizeof target);
    all->counted = "more than what a string has room for";
    all->plain = new std::string("no less than what a string has room for");
    void *volatile raw = make(100), *volatile none = make(0);
    auto *queue = new std::deque<inner *>(3, target);
    auto *stream = new std::ostringstream;
    auto *buffer = stream->rdbuf();
    for (int i = 0; i < 1000; i++)
        buffer->sputn("text", 4);
    const void *from = all;
    for (const char *field : {"kept.next", "marked", "plain", "+32", "+40"})
        printf("edge %p %s %p\n", from, field,
               strcmp(field, "plain") == 0 ? static_cast<void *>(all->plain) : static_cast<void *>(target));
    printf("edge %p counted._M_dataplus._M_p %p\n", from, static_cast<const void *>(all->counted.data()));
    printf("edge %p _M_dataplus._M_p %p\n", static_cast<void *>(all->plain),
           static_cast<const void *>(all->plain->data()));
    printf("raw %p\nready\n", static_cast<void *>(raw));
    fflush(stdout);
    getchar();
    printf("%zu %zu %p\n", stream->str().size(), queue->size(), static_cast<void *>(none));
}
