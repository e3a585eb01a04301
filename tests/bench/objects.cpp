// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pairs of new and delete and nothing else.
#include <cstdlib>

int main(int count, char **arguments) {
    long pairs = count > 1 ? atol(arguments[1]) : 20000000;
    for (long i = 0; i < pairs; i++) {
        int *volatile p = new int;
        delete p;
    }
    return 0;
}
