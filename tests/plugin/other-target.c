// There is a runtime for the machine that the plugin runs on: code for another one is refused, not left to the linker.
// RUN: (! %clang -m32 -c %s -o %t.o) 2>&1 | %check
// RUN: (! %clang -mx32 -O2 -c %s -o %t.o) 2>&1 | %check
// RUN: (! %clang --target=armv7-linux-gnueabi -ffreestanding -c %s -o %t.o) 2>&1 | %check
// CHECK-COUNT-1: error: allocsite: {{.*}}other-target.c is for {{(i386|x86_64|armv7)-[^ ]+}}, but there is no runtime other than for {{.*}}linux-gnu; compile it without allocsite
// CHECK-NOT: {{(error|warning): allocsite}}
void *malloc(__SIZE_TYPE__);
void *one(void) {
    return malloc(1);
}
