/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The machine that code is compiled for. */
#ifndef ALLOCSITE_BASE_TARGET_H
#define ALLOCSITE_BASE_TARGET_H

#include <llvm/Config/llvm-config.h>

#if LLVM_VERSION_MAJOR >= 17
#include <llvm/TargetParser/Triple.h>
#else
#include <llvm/ADT/Triple.h>
#endif

namespace allocsite {

/* Whether it is a GPU. One command compiles a source of CUDA, HIP, SYCL or OpenMP for the host and for the
 * device, with the same plugins, and no allocation on the device reaches the host's allocator. */
inline bool isDevice(const llvm::Triple &target) {
    return target.isNVPTX() || target.isAMDGPU() || target.isSPIR() || target.isSPIRV();
}

} // namespace allocsite

#endif
