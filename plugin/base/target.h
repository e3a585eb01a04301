/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The target that a module is compiled for. */
#ifndef ALLOCSITE_BASE_TARGET_H
#define ALLOCSITE_BASE_TARGET_H

#include <llvm/Config/llvm-config.h>

#if LLVM_VERSION_MAJOR >= 17
#include <llvm/TargetParser/Triple.h>
#else
#include <llvm/ADT/Triple.h>
#endif

namespace allocsite {

/* Returns whether the target is a GPU. For CUDA, HIP, SYCL and OpenMP one command compiles a source for the
 * host and for the device, with the same plugins. Allocations on the device never reach the host's
 * allocator. */
inline bool isDevice(const llvm::Triple &target) {
    return target.isNVPTX() || target.isAMDGPU() || target.isSPIR() || target.isSPIRV();
}

} // namespace allocsite

#endif
