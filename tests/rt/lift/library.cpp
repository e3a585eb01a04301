/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the C++ standard library allocates is its caller's: of templates, of what is compiled into the shared
 * library, by functions that are called by a pointer, and what a constructor that throws has allocated. What
 * it calls back is the program's own. A line with a note expects as many calls and bytes as in harness.py. */
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <memory_resource>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

/* What goes here the optimizer keeps. */
static const void *volatile kept;

struct Item {
    double x[5];
};

struct Thrower {
    char *block = static_cast<char *>(operator new(7)); // @ 2 14 0 0 0
    Thrower() {
        kept = block, kept = this;
        operator delete(block);
        throw 1; // @ any
    }
};

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

template <class Do> static void caught(Do action) {
    try {
        action();
    } catch (int) {
    }
}

static void *callback() {
    return std::malloc(77); // @ 1 77 0 0 0
}

static void containers() {
    std::vector<Item> items;
    items.push_back({});            // @ 1 40 0 0 0
    items.reserve(10);              // @ 1 400 0 0 0
    std::vector<Item> copy = items; // @ 1 40 0 0 0
    copy.resize(3);                 // @ 1 120 0 0 0
    std::map<int, Item> map;
    map[1] = {};            // @ 1 80 0 0 0
    map.emplace(2, Item()); // @ 1 80 0 0 0
    std::unordered_map<int, Item> table;
    table.reserve(12); // @ any
    table[3] = {};     // @ 1 56 0 0 0
}

static void strings() {
    std::string text(100, 'x'); // @ 1 101 0 0 0
    text += text;               // @ 1 201 0 0 0
    std::string other = text;   // @ 1 201 0 0 0
    other.reserve(1000);        // @ 1 1001 0 0 0
}

static void pointers() {
    auto one = std::make_unique<Item>();   // @ 1 40 0 0 0
    auto two = std::make_shared<Item>();   // @ 1 56 0 0 0
    std::shared_ptr<Item> three(new Item); // @ 2 64 0 0 0
    kept = one.get();
    caught([] { (void)new Thrower; });                 // @ 1 8 0 0 0
    caught([] { (void)std::make_shared<Thrower>(); }); // @ 1 24 0 0 0
}

struct Holder {
    char *own = static_cast<char *>(operator new(9)); // @ 4 36 0 0 0
    std::vector<long> numbers = {};
    ~Holder() {
        kept = own;
    }
};

struct Twice {
    Holder one, two;
};

/* Nobody wrote the functions that copy and assign. */
static void implicit() {
    Twice twice = {};                  // @ any
    twice.one.numbers = {1, 2, 3};     // @ 1 24 0 0 0
    twice.two.numbers = {1, 2, 3};     // @ 1 24 0 0 0
    Twice copy = twice;                // @ 2 48 0 0 0
    std::vector<Twice> many(2, twice); // @ 5 224 0 0 0
    Twice other = {};                  // @ any
    other = twice;                     // @ 2 48 0 0 0
    kept = copy.one.numbers.data(), kept = copy.two.numbers.data(), kept = many.data();
    kept = other.one.numbers.data();
}

static void by_pointer() {
    Resource resource;
    std::pmr::vector<Item> items(&resource);
    items.resize(2);                 // @ 1 80 0 0 0
    std::pmr::vector<Item> plain(3); // @ 1 120 0 0 0
    kept = plain.data();
    Item big = {};
    std::function<int()> one = [big] { return int(big.x[0]); }; // @ 1 40 0 0 0
    kept = &one;
    std::function<int()> two = one; // @ 1 40 0 0 0
    kept = &two;
    std::function<void *()> call = callback;
    void *called = call();
    kept = called;
    std::free(called);
}

int main() {
    containers();
    strings();
    pointers();
    implicit();
    by_pointer();
    std::puts("done");
    return 3;
}
