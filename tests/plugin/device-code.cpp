// One command compiles CUDA for the GPU and for the host with the same plugins. Code for the GPU stays
// unchanged without a message; code for the host gets its sites.
// RUN: %irxx -O2 -x cuda --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 -nocudainc -nocudalib %s 2>&1 | %check --check-prefix=DEVICE
// RUN: %irxx -O2 -x cuda --cuda-host-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 -nocudainc -nocudalib %s 2>&1 | %check --check-prefix=HOST
// RUN: %plain -x ir --target=amdgcn-amd-amdhsa -fpass-plugin=%plugin -nogpulib -S -o - %S/Inputs/device.ll 2>&1 | %check --check-prefix=AMD
// DEVICE-NOT: allocsite
// DEVICE: call {{.*}}@malloc(
// DEVICE-NOT: allocsite
// HOST-NOT: error
// HOST: call {{.*}}@__liballocsite_v1_malloc(
// AMD-NOT: allocsite
// AMD: device_malloc
// AMD-NOT: allocsite
#define HOST   __attribute__((host))
#define DEVICE __attribute__((device))

extern "C" HOST DEVICE void *malloc(__SIZE_TYPE__);

DEVICE void *on_device(int size) {
    return malloc(size);
}

HOST void *on_host(int size) {
    return malloc(size);
}
