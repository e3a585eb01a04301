// What always makes the same has its own line; with an option the line of its caller is billed, but no more than one level: a
// function that returns what such a one made has its line, too. What a maker keeps for itself stays there.
// RUN: %clang -O0 -c %s -o %t.no.o && %dump wrappers %t.no.o > %t.txt && ! grep . %t.txt
// RUN: %clang -O0 -fplugin=%plugin -mllvm -allocsite-lift=makers -c %s -o %t.O0.o && %sites %t.O0.o | %check
// RUN: %clang -O2 -fplugin=%plugin -mllvm -allocsite-lift=makers -c %s -o %t.O2.o && %sites %t.O2.o | %check
// RUN: %typed -O2 -DUSER -fplugin=%plugin -mllvm -allocsite-lift=makers -S %s -o - | %check --check-prefix=USER
// REQUIRES: types
// CHECK-DAG: :[[@LINE+15]]:{{[0-9]+}} {{ *}}strdup {{ *}}node_new
// CHECK-DAG: :[[@LINE+18]]:{{[0-9]+}} {{ *}}node_new {{ *}}pair_new
// CHECK-DAG: :[[@LINE+23]]:{{[0-9]+}} {{ *}}node_new {{ *}}user
// CHECK-NOT: pair_new {{ *}}user
// USER: call{{q?}} node_new.sited.pp
#include <stdlib.h>
#include <string.h>
struct node {
    struct node *next;
    char *name;
};
struct node *node_new(const char *name);
#ifndef USER
struct node *node_new(const char *name) {
    struct node *node = calloc(1, sizeof *node);
    node->name = strdup(name);
    return node;
}
struct node *pair_new(void) {
    struct node *node = node_new("pair");
    return node;
}
#endif
extern void *volatile sink;
void user(void) {
    sink = node_new("user");
}
