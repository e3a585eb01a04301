/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Local variables in the IR as clang makes it: places in memory (alloca). */
#ifndef ALLOCSITE_WRAP_LOCAL_VARIABLES_H
#define ALLOCSITE_WRAP_LOCAL_VARIABLES_H

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>

namespace allocsite {

/* The one that a pointer points into; nullptr: into none. */
llvm::AllocaInst *variableAt(llvm::Value *pointer);

/* Whether what is done with one neither sets it to anything that counts, nor tells anybody where it is. */
bool isHarmless(const llvm::Instruction &user);

/* Calls visit(user, pointer) for each use of a variable, pointer being that or one into it. */
template <class Visit> void eachUse(llvm::AllocaInst &variable, Visit visit) {
    llvm::SmallVector<llvm::Value *, 4> pointers = {&variable};
    while (!pointers.empty()) {
        llvm::Value *pointer = pointers.pop_back_val();
        for (llvm::User *user : pointer->users()) {
            if (llvm::isa<llvm::BitCastInst>(user) || llvm::isa<llvm::GetElementPtrInst>(user) ||
                llvm::isa<llvm::AddrSpaceCastInst>(user))
                pointers.push_back(user);
            else if (auto *instruction = llvm::dyn_cast<llvm::Instruction>(user))
                visit(*instruction, pointer);
        }
    }
}

} // namespace allocsite

#endif
