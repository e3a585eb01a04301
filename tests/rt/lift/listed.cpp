/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The same for a member and a template. */
#include <cstdlib>

#define NOINLINE __attribute__((noinline))

namespace ns {

struct pool {
    NOINLINE static void *xtake(std::size_t size) {
        void *block = malloc(size);
        if (!block)
            abort();
        return block;
    }
};

template <class T> NOINLINE T *xmake(std::size_t count) {
    void *block = malloc(count * sizeof(T));
    if (!block)
        abort();
    return static_cast<T *>(block);
}

} // namespace ns

static void *volatile kept[3];

NOINLINE static void load() {
    kept[0] = ns::pool::xtake(10); // 1 block of 10
    kept[1] = ns::xmake<long>(2); // 1 block of 16
    kept[2] = ns::xmake<short>(4); // 1 block of 8
}

int main() {
    for (int i = 0; i < 5; i++)
        load();
    return 0;
}
