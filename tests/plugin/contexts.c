// A function computes its calling context from its caller's. It reads the caller's before its first call that
// may allocate. It stores its own before each such call, or passes it to entry points that take it. Other
// calls and functions are unchanged.
// RUN: %ir -O2 -fplugin=%plugin -mllvm -allocsite-contexts %s | %check
// RUN: %ir -O2 -fplugin=%plugin -mllvm -allocsite-contexts %s | %check --check-prefix=LEAF
// RUN: %ir -O2 -fplugin=%plugin -mllvm -allocsite-contexts %s | %check --check-prefix=HANDLER
// RUN: %ir -O2 -fplugin=%plugin -mllvm -allocsite-contexts %s | %check --check-prefix=TOLD
// RUN: %ir -O2 %s | %check --check-prefix=WITHOUT
// WITHOUT-NOT: __liballocsite_v1_context
#include <stdlib.h>
#include <string.h>
#define APART __attribute__((noinline))
void elsewhere(void);

// The variable of an executable is in the executable. Shared objects use that one, or the runtime's.
// RUN: %ir -O2 -fPIE -fplugin=%plugin -mllvm -allocsite-contexts %s | %check
// RUN: %ir -O2 -fPIC -fplugin=%plugin -mllvm -allocsite-contexts %s | %check --check-prefix=SHARED
// RUN: %ir -O2 -fplugin=%plugin -mllvm -allocsite-contexts -mllvm -allocsite-shared %s | %check --check-prefix=SHARED
// CHECK: @__liballocsite_v1_context = weak thread_local(localexec) global i64 0
// SHARED: @__liballocsite_v1_context = external thread_local(initialexec) global i64{{$}}
// CHECK: @__liballocsite_v1_contexts = linkonce_odr constant i32 65536, comdat

// LEAF: define {{.*}}i32 @leaf(
// LEAF-NOT: __liballocsite_v1_context
// LEAF: ret i32
APART static int leaf(int n) {
    return n * 3 + rand();
}

// CHECK-LABEL: define {{.*}} @allocates(
// CHECK-SAME: prefix [1 x i32] [i32 -945746850]
// CHECK: %[[X:.*]] = load volatile i64, {{.*}}@__liballocsite_v1_context
// CHECK: call {{.*}}@llvm.returnaddress(i32 0)
// CHECK: mul i64 %[[X]], -1640531535
// CHECK: %[[V:.*]] = add i64
// CHECK-NOT: store volatile
// CHECK: call {{.*}}@__liballocsite_v1_malloc_by_context(i64 {{.*}}1, {{.*}}@__allocsite_sites.allocates{{.*}}, i64 %[[V]])
// CHECK-NOT: {{add|store volatile}}
// CHECK: call {{.*}}@__liballocsite_v1_malloc_by_context({{.*}}, i64 %[[V]])
void *kept[3];
APART void allocates(void) {
    kept[0] = malloc(1);
    kept[1] = malloc(2);
}

// Calls of an entry that reads the variable, and may not see its return address, get different numbers.
// CHECK-LABEL: define {{.*}} @aligned(
// CHECK: store volatile i64 %[[V:.*]], {{.*}}@__liballocsite_v1_context
// CHECK: %[[W:.*]] = add i64 %[[V]],
// CHECK-NEXT: store volatile i64 %[[W]], {{.*}}@__liballocsite_v1_context
APART void aligned(void) {
    kept[0] = aligned_alloc(8, 8);
    kept[1] = aligned_alloc(8, 16);
}

// CHECK-LABEL: define {{.*}} @calls(
// CHECK: store volatile i64 %[[V:.*]], {{.*}}@__liballocsite_v1_context
// CHECK-NEXT: call {{.*}}@allocates
// CHECK-NOT: store volatile
// CHECK: call {{.*}}@leaf
// CHECK-NOT: store volatile
// CHECK: call {{.*}}@__liballocsite_v1_free
// CHECK: store volatile i64 %[[V]], {{.*}}@__liballocsite_v1_context
// CHECK-NEXT: call {{.*}}@elsewhere
// CHECK: store volatile i64 %[[V]], {{.*}}@__liballocsite_v1_context
// CHECK-NEXT: {{.*}}call void %
// CHECK: store volatile i64 %[[V]], {{.*}}@__liballocsite_v1_context
// CHECK-NEXT: {{.*}}call void asm
// CHECK-NOT: store volatile
// CHECK: ret i32
int calls(void (*pointer)(void)) {
    allocates();
    int n = leaf(4) + (int)strlen(kept[0]);
    free(kept[0]);
    elsewhere();
    pointer();
    __asm__ volatile("call elsewhere" ::: "memory");
    __asm__ volatile("" ::: "memory");
    __asm__ volatile("syscall" ::: "rax", "rcx", "r11", "memory");
    return n;
}

// Code before the path that allocates costs nothing, and a loop does not read again.
// CHECK-LABEL: define {{.*}} @rarely(
// CHECK-NOT: __liballocsite_v1_context
// CHECK: icmp
// CHECK-NEXT: br
// CHECK: load volatile i64, {{.*}}@__liballocsite_v1_context
// CHECK: br
// CHECK-NOT: load volatile
// CHECK: store volatile
// CHECK-NEXT: call {{.*}}@elsewhere
// CHECK: ret
void rarely(int n) {
    if (n < 9)
        return;
    elsewhere();
    while (n--)
        elsewhere();
}

// Paths that share no call read the context on their own, so that the third path pays nothing.
// CHECK-LABEL: define {{.*}} @either(
// CHECK-NOT: __liballocsite_v1_context
// CHECK: switch
// CHECK: load volatile i64, {{.*}}@__liballocsite_v1_context
// CHECK: call {{.*}}@elsewhere
// CHECK-NOT: load volatile
// CHECK: call {{.*}}@elsewhere
// CHECK: load volatile i64, {{.*}}@__liballocsite_v1_context
// CHECK: call {{.*}}@allocates
// CHECK-NOT: __liballocsite_v1_context
// CHECK: ret void
void either(int n) {
    if (n == 3) {
        elsewhere();
        elsewhere();
    } else if (n == 5) {
        allocates();
    }
}

// A path that ends the function, such as a failure, reads the context itself. realloc and strdup take the
// context.
// CHECK-LABEL: define {{.*}} @fails(
// CHECK-NOT: __liballocsite_v1_context
// CHECK: icmp
// CHECK-NEXT: br
// CHECK: load volatile i64, {{.*}}@__liballocsite_v1_context
// CHECK: store volatile i64 %{{.*}}, {{.*}}@__liballocsite_v1_context
// CHECK-NEXT: call {{.*}}@ends
// CHECK-NEXT: unreachable
// CHECK: load volatile i64, {{.*}}@__liballocsite_v1_context
// CHECK-NOT: store volatile
// CHECK: call {{.*}}@__liballocsite_v1_strdup_by_context(
// CHECK: call {{.*}}@__liballocsite_v1_strndup_by_context(
// CHECK: call {{.*}}@__liballocsite_v1_realloc_by_context(
__attribute__((noreturn)) void ends(void);
void fails(int n, const char *text) {
    if (n == 7)
        ends();
    kept[0] = strdup(text);
    kept[1] = strndup(text, (size_t)n);
    kept[2] = realloc(kept[2], (size_t)n);
}

// A function that can be a signal handler restores the caller's context.
// HANDLER: define {{.*}} @handler(
// HANDLER: %[[X:.*]] = load volatile i64, {{.*}}@__liballocsite_v1_context
// HANDLER: call {{.*}}@elsewhere
// HANDLER: store volatile i64 %[[X]], {{.*}}@__liballocsite_v1_context
// HANDLER: ret void
static void handler(int n) {
    if (n > 1)
        elsewhere();
}
void (*handlers[])(int) = {handler};

// TOLD: define {{.*}} @told(
// TOLD: %[[X:.*]] = load volatile i64, {{.*}}@__liballocsite_v1_context
// TOLD: store volatile i64 %[[X]], {{.*}}@__liballocsite_v1_context
// TOLD-NEXT: ret void
static void told(int n, void *info, void *more) {
    elsewhere();
}
void (*tellers[])(int, void *, void *) = {told};
