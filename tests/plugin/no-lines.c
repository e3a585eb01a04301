// Without debug info there are no lines: one warning per file. -Rpass=^$ gives lines without debug info.
// RUN: %clang -g0 -O2 -c %s -o %t.o 2>&1 | %check --check-prefix=WARN
// RUN: %clang -g0 -O0 -Rpass=^$ -c %s -o %t.o 2>&1 | %check --allow-empty --check-prefix=QUIET
// RUN: %clang -g0 -O2 -Rpass=^$ -c %s -o %t.o 2>&1 | %check --allow-empty --check-prefix=QUIET
// RUN: %sites %t.o | %check --check-prefix=LINES
// WARN-COUNT-1: warning: allocsite: no line is known for any site of {{.*}}no-lines.c; compile with -g or -Rpass=^$
// WARN-NOT: warning: allocsite
// QUIET-NOT: warning
// LINES: no-lines.c:[[@LINE+3]]:12
#include <stdlib.h>
void *one(void) {
    return malloc(1);
}
void *two(void) {
    return malloc(2);
}
