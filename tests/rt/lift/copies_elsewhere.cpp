/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A file with copies of the same functions, compiled with or without the plugin.
#include "copies.h"

template struct Array<int>;
template struct Array<char>;

template <class T> T *Pool<T>::take(std::size_t n) {
    return static_cast<T *>(std::calloc(n, sizeof(T)));
}

template <class T> template <class U> U *Pool<T>::give(std::size_t n) {
    return static_cast<U *>(std::calloc(n, sizeof(U)));
}

template struct Pool<int>;
template short *Pool<int>::give<short>(std::size_t);

void *others(std::size_t n) {
    return grab(n);
}

void *(*pointer())(std::size_t) {
    return grab;
}
