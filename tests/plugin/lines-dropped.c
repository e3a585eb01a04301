// REQUIRES: types
// Below -g the code generator gets no description of functions, unless somebody asks for its remarks.
// RUN: %typed -g0 -O2 -Rpass=^$ -S -emit-llvm %s -o - | %check --check-prefix=DROPPED
// RUN: %typed -g0 -O2 -Rpass=^$ -Rpass-missed=regalloc -S -emit-llvm %s -o - | %check --check-prefix=KEPT
// RUN: %typed -O2 -Rpass=^$ -S -emit-llvm %s -o - | %check --check-prefix=KEPT
// RUN: %typed -g0 -O2 -Rpass=^$ -c %s -o %t.o && %sites %t.o | %check --check-prefix=LINES
// DROPPED: define {{.*}}block.sited{{[^!]*$}}
// KEPT: define {{.*}}block.sited{{.*}}!dbg
// LINES: lines-dropped.c:[[@LINE+3]]:12
#include <stdlib.h>
void *block(size_t size, int count) {
    return malloc(size + (size_t)count);
}
