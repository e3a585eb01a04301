/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Pairs as many as are asked for.
#include "lifting_cost.h"

#include <stdlib.h>

int main(int count, char **arguments) {
    if (count > 1)
        run(atol(arguments[1]));
}
