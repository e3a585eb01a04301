/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Replaces allocator calls by calls of the runtime's entry points. These take the site as an additional
 * argument, and some also the calling context. */
#ifndef ALLOCSITE_EMIT_ENTRY_CALL_H
#define ALLOCSITE_EMIT_ENTRY_CALL_H

#include "base/allocators.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Attributes.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/InstrTypes.h>

namespace allocsite {

/* The arguments of a call and the site, which is the last one, with their types and attributes. */
struct Arguments {
    llvm::SmallVector<llvm::Type *, 6> types;
    llvm::SmallVector<llvm::Value *, 6> values;
    llvm::SmallVector<llvm::AttributeSet, 6> attributes;

    void add(llvm::Type *type, llvm::Value *value, llvm::AttributeSet set) {
        if (type)
            types.push_back(type);
        values.push_back(value);
        attributes.push_back(set);
    }
};

Arguments withSite(llvm::CallBase &call, llvm::Value *site);

/* Extends integer arguments to the types of the allocator's prototype. In the ABI the upper half of a
 * register that holds 32 bits is undefined; compiled code leaves zero there. Zero extension therefore keeps
 * the requested size. */
void extendNumbers(llvm::CallBase &call, const allocator &row, Arguments &arguments);

/* Returns the attributes without alloc-variant-zeroed, which names a function of the same signature: LLVM
 * rejects a module where the signatures differ. */
llvm::AttributeSet withoutSignature(llvm::LLVMContext &context, llvm::AttributeSet attributes);

/* Replaces the call by a call of `callee` and erases it. */
void replaceWithCall(llvm::CallBase &call, llvm::FunctionCallee callee, const Arguments &arguments);

} // namespace allocsite

#endif
