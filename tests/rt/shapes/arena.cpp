/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// C++ wrappers in a separate file.
#include "arena.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace shapes {
void *Arena::allocate(std::size_t n) {
    void *p = std::malloc(n);
    if (!p)
        throw std::bad_alloc(); // @ any
    return p;
}

void *Arena::units(int count) const {
    return ::operator new(unit *count);
}

char *Arena::text(const char *from) {
    std::size_t n = std::strlen(from) + 1;
    return static_cast<char *>(std::memcpy(new char[n], from, n));
}

void Arena::deallocate(void *p) {
    std::free(p);
}

void *Arena::get(std::size_t n) {
    return allocate(n);
}

Text::Text(const char *text) : used(std::strlen(text)), room(used + 1) {
    bytes = new char[std::strlen(text) + 1];
    std::memcpy(bytes, text, room);
}

Text::Text(const Text &other) : bytes(new char[other.room]), used(other.used), room(other.room) {
    std::memcpy(bytes, other.bytes, room);
}

Text::~Text() {
    delete[] bytes;
}

void Text::reserve(std::size_t n) {
    if (n <= room)
        return;
    char *moved = new char[n];
    std::memcpy(moved, bytes, room);
    delete[] bytes;
    bytes = moved;
    room = n;
}

Text &Text::operator+=(const char *text) {
    std::size_t n = std::strlen(text) + 1;
    reserve(used + n); // @ 1 15 0 0 0
    std::memcpy(bytes + used, text, n);
    used += n - 1;
    return *this;
}

void Text::clear() {
    used = 0;
}

Buffer::Buffer(std::size_t n) : bytes(new char[n]) {}

Buffer::~Buffer() {
    delete[] bytes;
}

void *Counted::operator new(std::size_t n) {
    return std::malloc(n);
}

void Counted::operator delete(void *p) {
    std::free(p);
}

// They allocate a fixed size: the lines are their own.
Base *make(int kind) {
    if (kind == 0)
        return new Base;
    return new Buffer(100);
}

Counted *counted() {
    return new Counted{1};
}

char *make_buffer(std::size_t n) {
    return new char[n];
}

std::unique_ptr<char[]> make_unique_buffer(std::size_t n) {
    return std::make_unique<char[]>(n); // @ 1 39 0 0 0
}

void *look(std::size_t n) {
    if (n > 2)
        throw std::bad_alloc(); // @ any
    return nullptr;
}

Arena &arena() {
    static Arena one;
    return one;
}

std::string describe(std::size_t n) {
    return std::string(n, 'x'); // @ 1 42 0 0 0
}

// The added element is allocated at its own line.
std::vector<int> listed(std::size_t n) {
    std::vector<int> list;
    for (std::size_t i = 0; i < n; i++)
        list.push_back(i); // @ 4 60 0 0 0
    return list;
}

struct Resource : std::pmr::memory_resource {
    void *do_allocate(std::size_t n, std::size_t) override {
        return std::malloc(n);
    }
    void do_deallocate(void *p, std::size_t, std::size_t) override {
        std::free(p);
    }
    bool do_is_equal(const memory_resource &) const noexcept override {
        return false;
    }
};

std::pmr::memory_resource *resource() {
    static Resource one;
    return &one;
}
} // namespace shapes
