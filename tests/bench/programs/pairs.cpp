/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// pairs KIND COUNT: makes COUNT allocations of one kind, each freed at once, and nothing else. Kinds that
// grow keep their blocks. shrink first grows by 9999 blocks and frees COUNT of them.
#include <cstdlib>
#include <cstring>
#include <new>

// Hides the origin of a block, so that the optimizer keeps the pair.
template <typename T> static T *opaque(T *p) {
    asm volatile("" : "+r"(p) : : "memory");
    return p;
}

static void *block;

struct Link {
    Link *next;
};

static Link *kept;

static void keep(void *p) {
    kept = new (p) Link{kept};
}

static void drop() {
    if (!kept)
        for (int i = 0; i < 9999; i++)
            keep(std::malloc(40));
    Link *last = kept;
    kept = last->next;
    std::free(last);
}

static const struct {
    const char *name;
    void (*pair)(long);
} kinds[] = {
    {"malloc", [](long) { std::free(opaque(std::malloc(40))); }},
    {"malloc_large", [](long) { std::free(opaque(std::malloc(600))); }},
    {"malloc_40000", [](long) { std::free(opaque(std::malloc(40000))); }},
    {"calloc", [](long) { std::free(opaque(std::calloc(5, 8))); }},
    {"realloc", [](long i) { block = std::realloc(opaque(block), 40 + (i & 1) * 40); }},
    {"aligned_alloc", [](long) { std::free(opaque(std::aligned_alloc(64, 64))); }},
    {"strdup", [](long) { std::free(opaque(strdup("forty characters, all for one string's sake"))); }},
    {"new", [](long) { operator delete(opaque(operator new(40))); }},
    {"new_sized", [](long) { operator delete(opaque(operator new(40)), std::size_t(40)); }},
    {"new_array", [](long) { operator delete[](opaque(operator new[](40))); }},
    {"new_nothrow", [](long) { operator delete(opaque(operator new(40, std::nothrow))); }},
    {"new_aligned",
     [](long) {
         constexpr auto align = std::align_val_t(64);
         operator delete(opaque(operator new(64, align)), align);
     }},
    {"grow", [](long) { keep(opaque(std::malloc(40))); }},
    {"grow_new", [](long) { keep(opaque(operator new(40))); }},
    {"shrink", [](long) { drop(); }},
};

int main(int argc, char **argv) {
    for (const auto &kind : kinds)
        if (argc == 3 && std::strcmp(argv[1], kind.name) == 0) {
            for (long i = 0, count = std::atol(argv[2]); i < count; i++)
                kind.pair(i);
            return 0;
        }
    return 2;
}
