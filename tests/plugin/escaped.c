// A malloc whose address is taken stays malloc (the runtime counts it as unsited), as does a call through a
// pointer that may change.
// RUN: %ir -O0 %s | %check
// RUN: %ir -O2 %s | %check
// CHECK-NOT: allocsite_v1
#include <stdlib.h>
void *(*hook)(size_t) = malloc;
void take(void *(*)(size_t));
void *called(void) {
    take(malloc);
    return hook(24);
}
