// A call that returns untyped memory tells the type that it is used as, and which blocks a function hands on. A call
// whose callee declares the type adds nothing, nor does one that cannot allocate.
// REQUIRES: types
// RUN: %typed -O0 -c %s -o %t.O0.o && %calls %t.O0.o | %check --implicit-check-not=types-calls
// RUN: %typed -O2 -c %s -o %t.O2.o && %calls %t.O2.o | %check --implicit-check-not=types-calls
#include <stdlib.h>
#include <string.h>
struct foo {
    struct foo *next;
};
struct opaque;
void *xmalloc(size_t size);
char *old_malloc(size_t size);
struct foo *typed(size_t size);
int create(int flags, void **out);
void release(void *block);
void *kept;
struct foo *list;
struct opaque *shut;
char *text;

// CHECK: {{^}}{{.*}}types-calls.c:[[@LINE+2]]:19  wrapper  None  hands on{{$}}
void *wrapper(size_t size) {
    void *block = malloc(size);
    return memset(block, 0, size);
}
// CHECK-NEXT: {{^}}{{.*}}types-calls.c:[[@LINE+2]]:19  chars  None  hands on{{$}}
char *chars(size_t size) {
    return strcpy(malloc(size), "text");
}
// CHECK-NEXT: {{^}}{{.*}}types-calls.c:[[@LINE+2]]:12  handed_on  None  hands on{{$}}
void *handed_on(size_t size) {
    return xmalloc(size);
}
// CHECK-NEXT: {{^}}{{.*}}types-calls.c:[[@LINE+2]]:12  text_of  char  hands on{{$}}
char *text_of(size_t size) {
    return xmalloc(size);
}
// CHECK-NEXT: {{^}}{{.*}}types-calls.c:[[@LINE+2]]:12  converted  struct foo{{$}}
struct foo *converted(size_t size) {
    return xmalloc(size);
}
// The site has the type.
struct foo *own(void) {
    return malloc(sizeof(struct foo));
}
int stored(void **out, size_t size) {
    // CHECK-NEXT: {{^}}{{.*}}types-calls.c:[[@LINE+1]]:12  stored  None  hands on{{$}}
    *out = xmalloc(size);
    return 0;
}
struct holder {
    void *memory;
};
// Only one of the two blocks is the caller's.
struct holder *holder(size_t size) {
    // CHECK-NEXT: {{^}}{{.*}}types-calls.c:[[@LINE+1]]:29  holder  struct holder{{$}}
    struct holder *holder = xmalloc(sizeof *holder);
    holder->memory = xmalloc(size);
    return holder;
}
void uses(size_t size, void **table) {
    // CHECK-NEXT: {{^}}{{.*}}types-calls.c:[[@LINE+1]]:12  uses  struct foo{{$}}
    list = xmalloc(size);
    // CHECK-NEXT: {{^}}{{.*}}types-calls.c:[[@LINE+1]]:26  uses  struct foo{{$}}
    kept = (struct foo *)xmalloc(size);
    // CHECK-NEXT: {{^}}{{.*}}types-calls.c:[[@LINE+1]]:12  uses  struct foo *{{$}}
    kept = xmalloc(size * sizeof(struct foo *));
    // CHECK-NEXT: {{^}}{{.*}}types-calls.c:[[@LINE+1]]:12  uses  struct opaque{{$}}
    shut = xmalloc(size);
    // CHECK-NEXT: {{^}}{{.*}}types-calls.c:[[@LINE+1]]:12  uses  char{{$}}
    text = xmalloc(size);
    // CHECK-NEXT: {{^}}{{.*}}types-calls.c:[[@LINE+1]]:26  uses  struct foo{{$}}
    list = (struct foo *)old_malloc(size);
    // CHECK-NEXT: {{^}}{{.*}}types-calls.c:[[@LINE+1]]:5  uses  struct foo{{$}}
    create(1, (void **)&list);
    text = old_malloc(size);
    list = typed(size);
    kept = xmalloc(size);
    create(2, table);
    release(list);
    text = memchr(text, 1, sizeof(struct foo));
    qsort(&list, 1, sizeof list, (int (*)(const void *, const void *))kept);
}
