// Two calls of a function that may allocate stay two calls with their lines, because a merged call would have
// no line in call paths. With sites alone they are merged, as without the plugin.
// RUN: %clang -O2 -g -S -emit-llvm %s -o - | %check
// RUN: %clang -O2 -g -S -emit-llvm -fplugin=%plugin -mllvm -allocsite-contexts=0 %s -o - | %check --check-prefix=SITES
// CHECK: call {{.*}}@take({{.*}} !dbg ![[FIRST:[0-9]+]]
// CHECK: call {{.*}}@take({{.*}} !dbg ![[SECOND:[0-9]+]]
// CHECK-DAG: ![[FIRST]] = !DILocation(line: [[@LINE+10]],
// CHECK-DAG: ![[SECOND]] = !DILocation(line: [[@LINE+11]],
// SITES-COUNT-1: call {{.*}}@take(
// SITES-NOT: call {{.*}}@take(
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
void *take(int kind, const char *);
void *choose(int which, const char *name) {
    void *p;
    if (which)
        p = take(1, name);
    else
        p = take(2, name);
    return p;
}
