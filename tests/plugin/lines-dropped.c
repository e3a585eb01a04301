// REQUIRES: types
// Below -g, DISubprograms are dropped before code generation, and the optimizer only gets the lines of calls,
// unless remarks are enabled.
// RUN: %typed -g0 -O2 -Rpass=^$ -S -emit-llvm %s -o - | %check --check-prefix=DROPPED
// RUN: %typed -g0 -O2 -Rpass=^$ -Rpass-missed=regalloc -S -emit-llvm %s -o - | %check --check-prefix=KEPT
// RUN: %typed -O2 -Rpass=^$ -S -emit-llvm %s -o - | %check --check-prefix=KEPT
// RUN: %typed -g0 -O2 -Rpass=^$ -c %s -o %t.o && %sites %t.o | %check --check-prefix=LINES
// Coverage still gets all lines.
// RUN: %typed -g0 --coverage -Rpass=^$ -c %s -o %t.own.o && %plain --coverage -c %s -o %t.plain.o
// RUN: cmp %t.own.gcno %t.plain.gcno
// DROPPED: define {{.*}}block({{[^!]*$}}
// DROPPED: call {{.*}}!dbg
// DROPPED-NEXT: ret {{[^!]*$}}
// KEPT: define {{.*}}block({{.*}}!dbg
// KEPT: ret {{.*}}!dbg
// LINES: lines-dropped.c:[[@LINE+3]]:12
#include <stdlib.h>
void *block(size_t size, int count) {
    return malloc(size + (size_t)count);
}
