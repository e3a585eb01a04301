/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "expand.h"

unsigned hash(const char *chars, size_t length) {
    unsigned value = 5381;
    for (size_t i = 0; i < length; i++)
        value = value * 33 + (unsigned char)chars[i];
    return value;
}
