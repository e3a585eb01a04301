/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The search for wrappers in a module, before the optimizer has touched it. */
#ifndef ALLOCSITE_WRAP_WRAPPER_SEARCH_H
#define ALLOCSITE_WRAP_WRAPPER_SEARCH_H

#include "base/allocators.h"
#include "wrap/flow.h"
#include "wrap/wrappers.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>

namespace allocsite {

struct FoundWrapper {
    Wrapper wrapper;
    llvm::SmallPtrSet<llvm::CallBase *, 4> handedOn; // the calls whose blocks are its callers'
    bool handsOnAll = false;                         // all calls are: the list says no more
    ParameterSet sizes = 0;                          // parameters that the size depends on
};

using FoundWrappers = llvm::MapVector<llvm::Function *, FoundWrapper>;

/* Those whose bodies show it. Functions of `ignored` are none. */
void searchAllocations(llvm::Module &module, Flow &flow,
                       const llvm::SmallPtrSetImpl<const llvm::Function *> &ignored, FoundWrappers &found);
void searchFrees(llvm::Module &module, Flow &flow,
                 const llvm::SmallPtrSetImpl<const llvm::Function *> &ignored, FoundWrappers &found);

/* A realloc to nothing frees: that is the caller's doing as well. */
void handOnFrees(llvm::Function &function, Flow &flow, const FoundWrappers &found, FoundWrapper &wrapper);

/* Whether a body shows what a function is. */
bool maySearch(const llvm::Function &function);

/* The first of some parameters, from 1. */
inline uint8_t firstOf(ParameterSet parameters) {
    return __builtin_ctzll(parameters) + 1;
}

/* Where the arguments of an allocator are. */
Wrapper argumentsOf(const allocator &what);

} // namespace allocsite

#endif
