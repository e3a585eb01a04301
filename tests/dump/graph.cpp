/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The same in C++: bases, the standard library's pointers and containers, a leaked cycle of shared
// pointers.
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

struct leaf {
    long value[3];
};

struct one {
    virtual ~one() = default;
    leaf *of_one = nullptr;
};

struct two {
    virtual ~two() = default;
    leaf *of_two = nullptr;
};

struct both : one, two {
    two *other = nullptr; // points into a block, to a base
};

struct right;

struct left {
    std::shared_ptr<right> to_right;
};

struct right {
    std::shared_ptr<left> to_left;
};

struct world {
    std::vector<std::unique_ptr<leaf>> leaves;
    std::map<int, leaf *> by_number;
    std::unordered_map<int, leaf *> by_hash;
    std::string name;
    both *bases;
};

world *everything;

static void print_edge(const void *from, const char *field, const void *to) {
    if (to)
        std::printf("edge %p %s %p\n", from, field, to);
}

static leaf *make_leaf() {
    return new leaf{};
}

static void make_bases() {
    both *first = new both, *second = new both;
    first->of_one = make_leaf();
    first->of_two = make_leaf();
    first->other = second;
    print_edge(first, "of_one", first->of_one);
    print_edge(first, "of_two", first->of_two);
    print_edge(first, "other", second);
    everything->bases = first;
    print_edge(everything, "bases", first);
}

static void make_containers() {
    everything->leaves.reserve(5); // prevents a pointer to the end of the buffer
    for (int i = 0; i < 4; i++)
        everything->leaves.push_back(std::unique_ptr<leaf>(make_leaf()));
    void *buffer = everything->leaves.data();
    print_edge(everything, "leaves._M_impl._M_start", buffer);
    print_edge(everything, "leaves._M_impl._M_finish", buffer);
    for (auto &each : everything->leaves)
        print_edge(buffer, "_M_t._M_t._M_head_impl", each.get());
    everything->name = "longer than what a string has room for in itself";
    print_edge(everything, "name._M_dataplus._M_p", everything->name.data());
    leaf *of_map = make_leaf(), *of_hash = make_leaf();
    everything->by_number[7] = of_map;
    everything->by_hash[7] = of_hash;
    std::printf("held %p %p\n", static_cast<void *>(of_map), static_cast<void *>(of_hash));
}

static __attribute__((noinline)) void lose() {
    std::shared_ptr<left> a(new left);
    std::shared_ptr<right> b(new right);
    a->to_right = b;
    b->to_left = a;
    print_edge(a.get(), "to_right._M_ptr", b.get());
    print_edge(b.get(), "to_left._M_ptr", a.get());
    std::printf("lost %p %p\n", static_cast<void *>(a.get()), static_cast<void *>(b.get()));
}

// Runs further down the stack than later calls, so that no pointer remains in the stack above.
static __attribute__((noinline)) void make_all() {
    volatile char space[1 << 16];
    space[0] = 0;
    everything = new world;
    make_bases();
    make_containers();
    lose();
    space[1] = 0;
}

int main() {
    make_all();
    std::puts("ready");
    std::fflush(stdout);
    return std::getchar() == EOF;
}
