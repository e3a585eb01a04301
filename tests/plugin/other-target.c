// The runtime only exists for the machine that the plugin runs on. Code for another target is refused when it
// is compiled.
// RUN: (! %clang -m32 -c %s -o %t.o) 2>&1 | %check
// RUN: (! %clang -mx32 -O2 -c %s -o %t.o) 2>&1 | %check
// RUN: (! %clang --target=armv7-linux-gnueabi -ffreestanding -c %s -o %t.o) 2>&1 | %check
// CHECK-COUNT-1: error: allocsite: {{.*}}other-target.c is for {{(i386|x86_64|armv7)-[^ ]+}}, but the runtime exists only for {{.*}}linux-gnu; compile it without allocsite
// CHECK-NOT: {{(error|warning): allocsite}}
void *malloc(__SIZE_TYPE__);
void *one(void) {
    return malloc(1);
}
