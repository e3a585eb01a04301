/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that pass their site as one more argument. */
#ifndef ALLOCSITE_LIFT_SITE_ARGUMENT_H
#define ALLOCSITE_LIFT_SITE_ARGUMENT_H

#include "base/allocators.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

namespace allocsite {

/* The arguments of a call with the site put in, with what goes along with them. */
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

/* The function's own type, with the site as one more parameter. */
llvm::FunctionType *typeWithSite(const llvm::Function &function);

Arguments withSite(llvm::CallBase &call, llvm::Value *site, site_position position);

/* Has an allocator's numbers be those of its own prototype. The upper half of a register that holds 32 bits
 * has no meaning in the ABI; zero is what code leaves there, so what was asked for without us stays so. */
void extendNumbers(llvm::CallBase &call, const allocator &what, Arguments &arguments);

/* Makes another call in the place of this one, which ceases to exist. */
void callInstead(llvm::CallBase &call, llvm::FunctionCallee callee, const Arguments &arguments);

} // namespace allocsite

#endif
