// The AST half also ignores code for a GPU, and finds the types of the host's code.
// REQUIRES: types
// RUN: %typedxx -O2 -x cuda --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 -nocudainc -nocudalib -S -emit-llvm -o - %s 2>&1 | %check --check-prefix=DEVICE
// RUN: %typedxx -O2 -x cuda --cuda-host-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 -nocudainc -nocudalib -S -emit-llvm -o - %s 2>&1 | %check --check-prefix=HOST
// DEVICE-NOT: allocsite
// DEVICE: call {{.*}}@malloc(
// DEVICE-NOT: allocsite
// HOST-NOT: error
// HOST: c"node\00
#define HOST   __attribute__((host))
#define DEVICE __attribute__((device))

struct node {
    node *next;
    int value;
};

extern "C" HOST DEVICE void *malloc(__SIZE_TYPE__);

DEVICE node *on_device() {
    return static_cast<node *>(malloc(sizeof(node)));
}

HOST node *on_host() {
    return static_cast<node *>(malloc(sizeof(node)));
}
