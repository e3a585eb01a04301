/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Types with all kinds of layouts. When run, the program prints the padding of each: "SIZE PADDING NAME". It
// must be compiled by gcc, whose __builtin_clear_padding does not use debug information.
#include <cstddef>
#include <cstdio>
#include <cstring>

struct plain {
    char a;
    int b;
    char c;
};

struct full {
    int a, b;
};

struct nested {
    char a;
    plain b[3];
    short c;
};

struct bits {
    unsigned a : 3;
    unsigned b : 7;
    unsigned long c : 33;
    char d;
};

struct bits_apart {
    char a;
    int : 0;
    unsigned b : 1;
};

union either {
    char a[5];
    plain b;
    int c;
};

struct with_anonymous {
    char a;
    union {
        short b;
        char c[6];
    };
    struct {
        char d;
        long e;
    };
};

struct alignas(64) wide {
    char a;
};

struct __attribute__((packed)) tight {
    char a;
    long b;
};

struct flags {
    bool a;
    enum class kind : unsigned char { one } b;
    double c;
    char *e;
    int (*f)(int);
    int plain::*g;
    int (full::*h)(int);
    char i;
};

struct empty {};

struct has_empty : empty {
    int a;
};

struct holds_empty {
    empty a;
    int b;
};

struct shares_empty {
    [[no_unique_address]] empty a;
    int b;
};

class base {
  public:
    virtual ~base() = default;

  private:
    int a = 1;
};

/* Partly in its base's padding. */
class derived : public base {
    char b = 2;
    static int shared;

  public:
    ~derived() override = default;
};

class two_bases : public derived, public has_empty {
    char c = 3;
};

namespace space {
template <typename T, typename U = char> struct box {
    U a;
    T b;
    struct inner {
        T c;
        U d;
    };
};
namespace {
struct hidden {
    char a;
    long b;
};
} // namespace
inline namespace version {
struct versioned {
    char a;
    int b;
};
template <typename T = int, template <typename, typename> class U = box, typename V = U<T, char>> struct defaults {
    char a;
    V b;
};
} // namespace version
template <typename... T> struct pack {
    char a;
    box<T...> b;
};
template <> struct pack<> {
    char a;
    short b;
};
template <auto... N> struct numbers {
    char a;
    long b[sizeof...(N)];
};
} // namespace space

typedef struct {
    char a;
    short b;
} unnamed;

using row = plain[4];

// The types that are checked. Each has an object, so that it has debug information.
#define TYPES(DO)                                                                                            \
    DO(plain)                                                                                                \
    DO(full)                                                                                                 \
    DO(nested)                                                                                               \
    DO(bits)                                                                                                 \
    DO(bits_apart)                                                                                           \
    DO(either)                                                                                               \
    DO(with_anonymous)                                                                                       \
    DO(wide)                                                                                                 \
    DO(tight)                                                                                                \
    DO(flags)                                                                                                \
    DO(has_empty)                                                                                            \
    DO(holds_empty)                                                                                          \
    DO(shares_empty)                                                                                         \
    DO(base)                                                                                                 \
    DO(derived)                                                                                              \
    DO(two_bases)                                                                                            \
    DO(space::box<int>)                                                                                      \
    DO(space::box<space::box<long>>)                                                                         \
    DO(space::box<double>::inner)                                                                            \
    DO(space::hidden)                                                                                        \
    DO(space::versioned)                                                                                     \
    DO(space::box<int, double>)                                                                              \
    DO(space::box<int, space::box<int, short>>)                                                              \
    DO(space::box<space::box<int>>)                                                                          \
    DO(space::box<space::box<int, double>>)                                                                  \
    DO(space::box<space::versioned>)                                                                         \
    DO(space::box<int (*)(char)>)                                                                            \
    DO(space::box<int (*)(char)>::inner)                                                                     \
    DO(space::box<short[3]>)                                                                                 \
    DO(space::defaults<>)                                                                                    \
    DO(space::defaults<long>)                                                                                \
    DO(space::box<space::defaults<>>)                                                                        \
    DO(space::pack<>)                                                                                        \
    DO(space::pack<int>)                                                                                     \
    DO(space::pack<int, long>)                                                                               \
    DO(space::numbers<'>', 'a'>)                                                                             \
    DO(space::numbers<3UL, -7>)                                                                              \
    DO(unnamed)                                                                                              \
    DO(row)                                                                                                  \
    DO(int)

template <typename T> T object;

// A type named only by a typedef is in the debug information only if it is used by that name.
unnamed used_unnamed;
row used_row;

#ifdef __clang__
#define SHOW(...) show<__VA_ARGS__>(#__VA_ARGS__);
template <typename T> static void show(const char *name) {
    std::printf("%zu %p %s\n", sizeof(T), static_cast<void *>(&object<T>), name);
}
#else
#define SHOW(...)                                                                                            \
    {                                                                                                        \
        using type = __VA_ARGS__;                                                                            \
        type &it = object<__VA_ARGS__>;                                                                      \
        std::memset(static_cast<void *>(&it), 0xFF, sizeof it);                                              \
        __builtin_clear_padding(&it);                                                                        \
        size_t padding = 0;                                                                                  \
        for (size_t i = 0; i < sizeof it; i++)                                                               \
            padding += reinterpret_cast<unsigned char *>(&it)[i] == 0;                                       \
        std::printf("%zu %zu %s\n", sizeof it, padding, #__VA_ARGS__);                                       \
    }
#endif

int main() {
    TYPES(SHOW)
}
