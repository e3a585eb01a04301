/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which calls may come to an allocation of code that keeps calling contexts. */
#ifndef ALLOCSITE_FIND_REACHING_H
#define ALLOCSITE_FIND_REACHING_H

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

namespace allocsite {

/* Of a module whose allocator calls have been rewritten. What another module may bring in place of a function
 * is taken to allocate, whatever the body does that is seen here; so is whatever is called by a pointer. No
 * attribute is believed: people call functions pure that keep their results in memory. */
struct Reaching {
    llvm::DenseSet<const llvm::Function *> functions; // with such a call, and surely what answers one of them

    explicit Reaching(const llvm::Module &module);
    bool mayAllocate(const llvm::CallBase &call) const;
};

} // namespace allocsite

#endif
