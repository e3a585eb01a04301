// REQUIRES: types
// Remarks appear only if requested, with both halves as without; -Rpass=^$ requests none.
// RUN: %typed -g0 -O2 -Rpass=^$ -Rpass=inline -c %s -o %t.o 2>&1 | %check --check-prefix=REMARK
// RUN: %typed -g0 -O2 -Rpass=^$ -Rpass-missed=inline -c %s -o %t.o 2>&1 | %check --check-prefix=MISSED
// RUN: %typed -g0 -O2 -Rpass=^$ -c %s -o %t.o 2>&1 | %check --allow-empty --check-prefix=QUIET
// RUN: %sites %t.o | %check --check-prefix=LINES
// REMARK: types-remarks.c:[[@LINE+10]]:12: remark: {{.*}}block{{.*}}inlined
// MISSED: types-remarks.c:[[@LINE+12]]:12: remark: {{.*}}far
// QUIET-NOT: remark
// LINES: types-remarks.c:[[@LINE+4]]:12
#include <stdlib.h>
__attribute__((noinline)) static void *far(void) { return malloc(1); }
static void *block(void) {
    return malloc(2);
}
void *near(void) {
    return block();
}
void *two(void) {
    return far();
}
