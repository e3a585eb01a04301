// A pointer that is given a text and returns one that may be changed can copy it: calls by it are sites, and who hands its text
// on is a wrapper. Not where the text is written to, nor where what comes back is only read.
// RUN: %typed -O0 -c %s -o %t.O0.o && %sites %t.O0.o | %check
// RUN: %typed -O2 -c %s -o %t.O2.o && %sites %t.O2.o | %check
// RUN: %typed -O2 -c %s -o %t.O2.o && %dump wrappers %t.O2.o | %check --check-prefix=WRAPPERS
// REQUIRES: types
// CHECK-NOT: read_only
// CHECK-NOT: written
// CHECK-DAG: hook-text.c:[[@LINE+20]]:{{[0-9]+}}  copy  named  type char
// CHECK-DAG: hook-text.c:[[@LINE+22]]:{{[0-9]+}}  duplicate  kept  type char
// CHECK-NOT: read_only
// CHECK-NOT: written
// WRAPPERS: # found by their bodies
// WRAPPERS-NEXT: fun:duplicate=wrapper
// WRAPPERS-NOT: {{.}}
struct thing {
    char *name;
    const char *view;
};
extern char *(*copy)(const char *text);
extern struct {
    const char *(*find)(void *self, const char *text);
    char *(*get)(char *to, const char *from);
} methods;
char *duplicate(const char *text) {
    return text ? copy(text) : 0;
}
void named(struct thing *thing, const char *name) {
    thing->name = copy(name);
}
void kept(struct thing *thing) {
    thing->name = duplicate(thing->view);
}
void read_only(struct thing *thing, const char *name) {
    thing->view = methods.find(thing, name);
}
void written(struct thing *thing, const char *name) {
    thing->view = methods.get(thing->name, name);
}
