/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that share a position are distinguished by their sizes: `= SIZE TYPE` is the type of a block with that
 * size. */
#include <stdio.h>
#include <stdlib.h>
struct foo {
    struct foo *next;
};
/* Keeps the optimizer from removing blocks. */
static void *volatile kept;
static struct foo *volatile x;
static double *volatile y;

#define BOTH(get, a, b, n) ((a) = get(n), (b) = get((n) + 1))
#define SWAPPED(a, b)      (b, a)
#define NEW(type, n)       (kept = (type *)malloc(n))

int main(void) {
    BOTH(malloc, x, y, 101);                  /* = 101 struct foo, = 102 double */
    BOTH(malloc, y, x, 103);                  /* = 103 double, = 104 struct foo */
    SWAPPED(NEW(long, 111), NEW(short, 112)); /* = 111 long, = 112 short */
    puts("done");
    return 3;
}
