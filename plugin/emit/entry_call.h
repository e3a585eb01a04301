/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that pass one argument more to an entry of the runtime: the site, or the context behind it. */
#ifndef ALLOCSITE_EMIT_ENTRY_CALL_H
#define ALLOCSITE_EMIT_ENTRY_CALL_H

#include "base/allocators.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Attributes.h>
#include <llvm/IR/DerivedTypes.h>
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

Arguments withSite(llvm::CallBase &call, llvm::Value *site, site_position position);

/* Has an allocator's numbers be those of its own prototype. The upper half of a register that holds 32 bits
 * has no meaning in the ABI; zero is what code leaves there, so what was asked for without us stays so. */
void extendNumbers(llvm::CallBase &call, const allocator &what, Arguments &arguments);

/* The attributes of a function, or of a call, for one that takes the site as well. Leaves out the function
 * attributes that hold for the former signature only: LLVM rejects the module, or reads other arguments. */
llvm::AttributeSet withoutSignature(llvm::LLVMContext &context, llvm::AttributeSet attributes,
                                    site_position position);

/* Makes another call in the place of this one, which ceases to exist. */
void callInstead(llvm::CallBase &call, llvm::FunctionCallee callee, const Arguments &arguments,
                 site_position position = SITE_LAST);

} // namespace allocsite

#endif
