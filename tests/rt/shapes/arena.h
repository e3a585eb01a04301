/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Functions of arena.cpp for shapes.cpp: the declarations reveal nothing about wrappers.
#include <cstddef>
#include <memory>
#include <memory_resource>
#include <string>
#include <vector>

namespace shapes {
class Arena {
    std::size_t unit = 1;

  public:
    void *allocate(std::size_t n);
    void *units(int count) const;
    static char *text(const char *from);
    void deallocate(void *p);
    virtual void *get(std::size_t n);
    virtual ~Arena() = default;
};

struct Base {
    virtual ~Base() = default;
};
struct Buffer : Base {
    char *bytes;
    explicit Buffer(std::size_t n);
    ~Buffer() override;
};

// A block and numbers, like std::string.
class Text {
    char *bytes;
    std::size_t used, room;
    void reserve(std::size_t n);

  public:
    explicit Text(const char *text);
    Text(const Text &other);
    ~Text();
    Text &operator+=(const char *text);
    void clear();
};

struct Counted {
    int number;
    static void *operator new(std::size_t n);
    static void operator delete(void *p);
};

Base *make(int kind);
Counted *counted();
char *make_buffer(std::size_t n);
std::unique_ptr<char[]> make_unique_buffer(std::size_t n);
void *look(std::size_t n);
Arena &arena();
std::string describe(std::size_t n);
std::vector<int> listed(std::size_t n);
std::pmr::memory_resource *resource();
} // namespace shapes
