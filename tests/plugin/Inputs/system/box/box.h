/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A header-only library. */
#ifdef __cplusplus
namespace box {

/* Returned in memory, because it has a copy constructor. */
struct Place {
    int *values;
    int at;
    Place(int *values, int at) : values(values), at(at) {}
    Place(const Place &other) : values(other.values), at(other.at) {}
};

struct Box {
    int *values = nullptr;
    int count = 0;
    ~Box() {
        delete[] values;
    }
    void grow() {
        int *more = new int[count + 1];
        delete[] values;
        values = more;
        count++;
    }
    void add(int value) {
        grow();
        values[count - 1] = value;
    }
    Place put(int value, int at) {
        add(value);
        return Place(values, at);
    }
    template <class Function> void each(Function function) {
        for (int i = 0; i < count; i++)
            function(values[i]);
    }
};

} // namespace box
#endif

static inline void *box_copy(const void *from, unsigned size) {
    char *copy = (char *)__builtin_malloc(size + 16);
    if (copy)
        __builtin_memcpy(copy + 16, from, size);
    return copy;
}
