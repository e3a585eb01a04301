// A context is what many functions are given: what one finds out about it is no size that its caller asks for. Of what is only measured
// and copied it is. Nor does a context grow by what returns a block.
// RUN: %typed -O0 -c %s -o %t.O0.o && %dump wrappers %t.O0.o | %check
// RUN: %typed -O2 -c %s -o %t.O2.o && %dump wrappers %t.O2.o | %check
// REQUIRES: types
// CHECK: # found by their bodies
// CHECK-NEXT: fun:value_copy=wrapper
// CHECK-NEXT: fun:value_new=wrapper size=2
// CHECK-NOT: {{.}}
#include <stdlib.h>
struct parser;
struct value {
    struct value *type;
};
int parameters(struct parser *parser);
int token(struct parser *parser);
size_t measured(const struct value *from);
void copied(struct value *to, const struct value *from);
struct value *value_new(const void *from, size_t n) {
    return from ? malloc(n) : NULL;
}
struct value *definition(struct parser *parser) {
    int n = parameters(parser);
    struct value *value = value_new(parser, sizeof *value * n);
    while (token(parser))
        value->type = value;
    token(parser);
    return value;
}
struct manager;
void *manager_get(struct manager *manager, size_t n);
void manager_give(struct manager *manager, void *block);
size_t references(struct manager *manager, size_t blocks) {
    int *found = manager_get(manager, blocks * sizeof *found);
    size_t all = found[0];
    manager_give(manager, found);
    return all;
}
struct value *value_copy(const struct value *from) {
    struct value *value = value_new(from, measured(from));
    copied(value, from);
    return value;
}
