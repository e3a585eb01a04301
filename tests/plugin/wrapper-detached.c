// A function that writes what its caller gives it to a buffer of its own by one call, and returns that one's block, is a wrapper, as are
// those that return what it returns. One that writes by several calls has lines that say more; one that always writes the same is told nothing.
// RUN: %typed -O0 -c %s -o %t.O0.o && %dump wrappers %t.O0.o | %check
// RUN: %typed -O2 -c %s -o %t.O2.o && %dump wrappers %t.O2.o | %check
// REQUIRES: types
// CHECK: fun:add=wrapper
// CHECK-NEXT: fun:detach=wrapper
// CHECK-NEXT: fun:formatted=wrapper
// CHECK-NEXT: fun:grow=wrapper
// CHECK-NEXT: fun:joined=wrapper
// CHECK-NEXT: fun:vadd=wrapper
// CHECK-NEXT: fun:vformatted=wrapper
// CHECK-NOT: {{.}}
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct buffer {
    char *text;
    size_t length, room;
};
static void grow(struct buffer *buffer, size_t more) {
    if (buffer->length + more < buffer->room)
        return;
    buffer->room = buffer->length + more + 1;
    buffer->text = realloc(buffer->text, buffer->room);
}
void add(struct buffer *buffer, const char *text, size_t length) {
    grow(buffer, length);
    memcpy(buffer->text + buffer->length, text, length + 1);
    buffer->length += length;
}
void vadd(struct buffer *buffer, const char *format, va_list values) {
    char text[100];
    add(buffer, text, vsnprintf(text, sizeof text, format, values));
}
char *detach(struct buffer *buffer) {
    grow(buffer, 0);
    char *text = buffer->text;
    memset(buffer, 0, sizeof *buffer);
    return text;
}
char *vformatted(const char *format, va_list values) {
    struct buffer buffer = {0};
    vadd(&buffer, format, values);
    return detach(&buffer);
}
char *formatted(const char *format, ...) {
    va_list values;
    va_start(values, format);
    char *text = vformatted(format, values);
    va_end(values);
    return text;
}
char *joined(char **texts, int count) {
    struct buffer buffer = {0};
    for (int i = 0; i < count; i++)
        add(&buffer, texts[i], strlen(texts[i]));
    return buffer.text;
}
char *several(const char *name, const char *value) {
    struct buffer buffer = {0};
    add(&buffer, name, strlen(name));
    add(&buffer, value, strlen(value));
    return buffer.text;
}
char *fixed(void) {
    struct buffer buffer = {0};
    add(&buffer, "x", 1);
    return buffer.text;
}
