// An object has a table also if it has nothing but types of calls.
// REQUIRES: types
// RUN: %typed -O2 -c %s -o %t.o && %calls %t.o | %check
struct foo {
    int x;
};
void *xmalloc(unsigned long size);
struct foo *kept;
// CHECK: types-calls-alone.c:[[@LINE+2]]:12 {{ *}}uses {{ *}}struct foo{{$}}
void uses(void) {
    kept = xmalloc(sizeof *kept);
}
