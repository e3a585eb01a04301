/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lifting at run time, where a wrapper was not inlined: its caller leaves its site in a thread-local variable
 * of the runtime just before the call, and the wrapper takes it at its entry. So the outermost call wins, and
 * nothing is left for another one to find. Where both stand in one file it is a parameter instead, and so it
 * is across files where no other module can replace the wrapper (twin.h). */
#ifndef ALLOCSITE_LIFT_LIFT_H
#define ALLOCSITE_LIFT_LIFT_H

#include "find/find.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

namespace allocsite {

/* How a wrapper takes the site that its caller has left. */
struct Take {
    llvm::LoadInst *left; // null: none was left
    llvm::StoreInst *clearing;
    llvm::SmallVector<llvm::SelectInst *, 2> choices; // between that and its own
};

/* How the site is left for a wrapper that surely takes it. */
struct Leave {
    llvm::CallBase *call;
    llvm::StoreInst *store;
};

/* All of a module, by wrapper. */
struct Lifting {
    llvm::MapVector<llvm::Function *, Take> takes;
    llvm::MapVector<llvm::Function *, llvm::SmallVector<Leave, 4>> leaves;
    llvm::MapVector<llvm::Function *, llvm::Function *> standIns; // for twins, each with its wrapper
};

Take takeSite(llvm::Function &wrapper);

/* At last, for what is left of a wrapper's taking: where no site was left, by code that does not know the
 * wrapper or has a pointer to it, who called is billed as for calls without a site. */
void fallBackOnCallers(llvm::Module &module);

/* The site that was left, or else this one. */
llvm::Value *chooseSite(llvm::Instruction &before, Take &take, llvm::Constant *own);

/* Before a call of a wrapper. A callee that may not take the site has the runtime bill what it allocates
 * meanwhile, so the site is taken away behind the call. */
void leaveSite(const AllocatorCall &found, llvm::Value *site, Lifting &lifting);

/* For a function that a function of the C library calls back: the site that was left for that is none of its
 * own calls', and is there again when it returns. */
void setSiteAside(llvm::Function &function);

/* Takes away what was left. */
llvm::StoreInst *clearSite(llvm::IRBuilder<> &builder);

/* When all is lifted: has wrappers take the site as a parameter from the calls in the module, which costs no
 * memory access, and which no signal handler can come between. */
void passDirectly(Lifting &lifting);

/* At last: a site that the next one replaces before anything can take it is not taken away first. The code
 * costs more to compile than to run. */
void clearOnce(llvm::Module &module);

} // namespace allocsite

#endif
