/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The differences between LLVM 14 and 22, as far as several files share them. */
#ifndef ALLOCSITE_BASE_COMPAT_H
#define ALLOCSITE_BASE_COMPAT_H

#include "base/target.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Type.h>
#include <llvm/Passes/PassBuilder.h>

#if LLVM_VERSION_MAJOR >= 22
#include <llvm/Plugins/PassPlugin.h>
#else
#include <llvm/Passes/PassPlugin.h>
#endif

#if LLVM_VERSION_MAJOR >= 17
#include <llvm/TargetParser/Host.h>
#else
#include <llvm/Support/Host.h>
#endif

namespace allocsite {

inline llvm::PointerType *pointerTo(llvm::Type *type) {
#if LLVM_VERSION_MAJOR >= 17
    return llvm::PointerType::getUnqual(type->getContext());
#else
    return type->getPointerTo();
#endif
}

inline llvm::PointerType *pointerType(llvm::LLVMContext &context) {
    return pointerTo(llvm::Type::getInt8Ty(context));
}

/* Removes the attributes that describe memory effects, because a rewritten call or function now also accesses
 * the runtime's memory. */
template <class FunctionOrCall> void forgetMemoryEffects(FunctionOrCall &code) {
#if LLVM_VERSION_MAJOR >= 16
    code.removeFnAttr(llvm::Attribute::Memory);
#else
    for (auto kind : {llvm::Attribute::ReadNone, llvm::Attribute::ReadOnly, llvm::Attribute::WriteOnly,
                      llvm::Attribute::ArgMemOnly, llvm::Attribute::InaccessibleMemOnly,
                      llvm::Attribute::InaccessibleMemOrArgMemOnly})
        code.removeFnAttr(kind);
#endif
}

/* Callbacks of extension points receive the LTO phase from LLVM 20 on. */
template <class Callback> void atEarlySimplification(llvm::PassBuilder &builder, Callback callback) {
#if LLVM_VERSION_MAJOR >= 20
    builder.registerPipelineEarlySimplificationEPCallback(
        [callback](llvm::ModulePassManager &passes, llvm::OptimizationLevel, llvm::ThinOrFullLTOPhase) {
            callback(passes);
        });
#else
    builder.registerPipelineEarlySimplificationEPCallback(
        [callback](llvm::ModulePassManager &passes, llvm::OptimizationLevel) { callback(passes); });
#endif
}

template <class Callback> void atOptimizerLast(llvm::PassBuilder &builder, Callback callback) {
#if LLVM_VERSION_MAJOR >= 20
    builder.registerOptimizerLastEPCallback([callback](llvm::ModulePassManager &passes,
                                                       llvm::OptimizationLevel,
                                                       llvm::ThinOrFullLTOPhase) { callback(passes); });
#else
    builder.registerOptimizerLastEPCallback(
        [callback](llvm::ModulePassManager &passes, llvm::OptimizationLevel) { callback(passes); });
#endif
}

} // namespace allocsite

#endif
