// A static function named like an allocator, or one with another prototype, belongs to the program.
// RUN: %ir -w -fno-builtin -O0 %s | %check
// RUN: %ir -w -fno-builtin -O2 %s | %check
// CHECK-NOT: allocsite_v1
typedef unsigned long size_t;
void *calloc(int count, int size, int flags);
int strdup(double);
extern char buffer[];
__attribute__((noinline)) static void *malloc(size_t n) {
    return buffer + n;
}
void *use(void) {
    return malloc(8) ? calloc(1, 2, 3) : (void *)(size_t)strdup(1.5);
}
