// A list of allocators: its effects, and its errors.
// RUN: printf '[allocsite]\nfun:arena_*=alloc size=2\nfun:arena_end=ignore\n' > %t.list
// RUN: %ir -O1 -fplugin=%plugin -mllvm -allocsite-list=%t.list %s | %check
// CHECK: call void @__liballocsite_v1_allocsite_custom_alloc(
// CHECK-NOT: call void @__liballocsite_v1_allocsite_custom_alloc(
//
// RUN: printf '\n\nfun:arena_alloc=alocate size=2\n' > %t.kind
// RUN: ! %clang -fplugin=%plugin -mllvm -allocsite-list=%t.kind -c %s -o %t.o 2> %t.err
// RUN: %check --check-prefix=KIND < %t.err
// KIND: {{^}}{{.*}}.kind:3: error: allocsite: unknown kind 'alocate'{{$}}
//
// RUN: printf 'fun:arena_alloc=alloc size=3\n' > %t.misfit
// RUN: ! %clang -fplugin=%plugin -mllvm -allocsite-list=%t.misfit -c %s -o %t.o 2> %t.err
// RUN: %check --check-prefix=MISFIT < %t.err
// MISFIT: {{^}}{{.*}}.misfit:1: error: allocsite: arena_alloc: it has no argument 3 for size{{$}}
//
// RUN: ! %clang -fplugin=%plugin -mllvm -allocsite-list=%t.missing -c %s -o %t.o 2> %t.err
// RUN: %check --check-prefix=MISSING < %t.err
// MISSING: {{^}}{{.*}}.missing: error: allocsite: No such file or directory{{$}}
void *arena_alloc(char *arena, unsigned long n) {
    return arena + n;
}
void *arena_end(char *arena, unsigned long n) {
    return arena + n;
}
int arena_size(char *arena) {
    return *arena;
}
