#include <stdlib.h>
inline void *their_own(int n) {
    return malloc(n);
}
static void *kept = their_own(1);
