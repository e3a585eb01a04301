// A buffer's function may return the buffer: who goes on with what it returned is a wrapper as well, and the type of the block is
// not that of the buffer. Of two things that it makes grow the buffer is its caller's; where both or none is one it is no wrapper.
// REQUIRES: types
// RUN: %typed -O0 -c %s -o %t.O0.o && %dump wrappers %t.O0.o | %check && %sites %t.O0.o | %check --check-prefix=SITES
// RUN: %typed -O2 -c %s -o %t.O2.o && %dump wrappers %t.O2.o | %check && %sites %t.O2.o | %check --check-prefix=SITES
// CHECK: # found by their bodies
// CHECK-NEXT: fun:text_add=wrapper
// CHECK-NEXT: fun:text_convert=wrapper
// CHECK-NEXT: fun:text_first=wrapper
// CHECK-NEXT: fun:text_room=wrapper
// CHECK-NOT: {{.}}
#include <stdlib.h>
#include <string.h>
struct text {
    char *bytes;
    size_t used, room;
};
struct text *text_room(struct text *text, size_t n) {
    char *bytes = realloc(text->bytes, n);
    if (!bytes)
        return NULL;
    text->bytes = bytes;
    text->room = n;
    return text;
}
struct text *text_add(struct text *text, const char *bytes, size_t n) {
    if (!text_room(text, text->used + n))
        return NULL;
    memcpy(text->bytes + text->used, bytes, n);
    text->used += n;
    return text;
}
struct text *text_first(struct text *text, const char *bytes, size_t n) {
    size_t length = 0;
    while (length < n && bytes[length])
        length++;
    if ((text = text_add(text, bytes, length)) == NULL)
        abort();
    return text;
}
struct converter {
    struct converter *next;
    struct text scratch;
};
void text_convert(struct text *text, struct converter *converter, const char *bytes, size_t n) {
    text_add(&converter->scratch, bytes, n);
    text_add(text, converter->scratch.bytes, n);
}
void both(struct text *a, struct text *b, size_t n) {
    text_room(a, n);
    text_room(b, n);
}
void neither(struct converter *a, struct converter *b, size_t n) {
    text_room(&a->scratch, n);
    text_room(&b->scratch, n);
}
struct text all;
void lines(void) {
    // SITES-DAG: wrapper-growers-returned.c:[[@LINE+1]]:{{[0-9]+}}  text_first  lines  type char
    text_first(&all, "a text", 3);
}
