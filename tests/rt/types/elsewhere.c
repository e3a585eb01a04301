/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The type of a block is known where a function of another file is called that allocates it: `= SIZE TYPE`
 * says which type a block of that size has to be of. */
#include "elsewhere.h"

#include <stdio.h>

#define XNEW(type)       ((type *)xmalloc(101 + sizeof(type)))
#define NEW(place, size) ((place) = xmalloc(size))
#define BOTH(a, b, n)    ((a) = xmalloc(n), (b) = xmalloc((n) + 1))

/* No block goes away unused. */
static void *volatile kept;
static struct foo *volatile foo;
static struct bar *volatile bar;
static char *volatile text;

static void *local(size_t size) {
    return twice(size);
}

static struct foo *typed(size_t size) {
    return local(size); /* = 204 struct foo */
}

static void out_parameters(void) {
    struct thing *thing;
    struct bar *made, *list = NULL;
    create(&thing, 301); /* = 301 struct thing */
    kept = thing;
    create_any(1, (void **)&made, 302); /* = 302 struct bar */
    kept = made;
    grow(&list, 303); /* = 303 struct bar */
    kept = list;
}

int main(void) {
    struct pool pool = {NULL};
    foo = xmalloc(102);                              /* = 102 struct foo */
    bar = xcalloc(1, 103);                           /* = 103 struct bar */
    bar = xrealloc(NULL, 104);                       /* = 104 struct bar */
    text = xstrdup("a text of 30 characters......"); /* = 30 char */
    text = xmalloc(106);                             /* = 106 char */
    kept = xmalloc(sizeof(struct foo) * 16);         /* = 128 struct foo */
    kept = xmalloc(107);                             /* = 107 bytes */
    kept = XNEW(struct bar);                         /* = 109 struct bar */
    NEW(foo, 110);                                   /* = 110 struct foo */
    BOTH(foo, bar, 111); /* = 111 struct bar or struct foo, = 112 struct bar or struct foo */
    foo = twice(201);    /* = 201 struct foo */
    bar = checked(202);  /* = 202 struct bar */
    bar = local(203);    /* = 203 struct bar */
    kept = typed(204);
    foo = (struct foo *)old_malloc(205); /* = 205 struct foo */
    foo = pool_get(&pool, 206);          /* = 206 struct foo */
    kept = owner_new(207, 208);          /* = 207 struct owner, = 208 bytes */
    foo = parse(209, 210);               /* = 209 struct foo, = 210 bytes */
    out_parameters();
    puts("done");
    return 3;
}
