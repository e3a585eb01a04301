/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which calls of a module are allocator calls. */
#ifndef ALLOCSITE_FIND_FIND_H
#define ALLOCSITE_FIND_FIND_H

#include "base/allocators.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

namespace allocsite {

struct AllocatorCall {
    llvm::CallBase *call;
    llvm::Function *callee; // nullptr: called by a pointer: a hook, or on behalf of the standard library
    const allocator *what;  // nullptr: the callee is a wrapper
};

/* A call of or by the C++ standard library, whose caller's callers are the sites (library_search.h). */
bool isLibraryCall(const AllocatorCall &call);

/* Whether what answers the call surely takes the site that is left for it. */
bool takesSite(const AllocatorCall &call);

/* Marks a call by a pointer as one that allocates for whoever it is made for. */
void setAllocatesByPointer(llvm::CallBase &call);

/* Whether calls in the body of this function become sites: it has a body of its own, and is not itself one of
 * the allocators (its inner malloc is how it works; its callers are the sites). */
bool isInstrumented(const llvm::Function &function);

/* The function that a call surely reaches, by its name or a constant pointer; nullptr: unknown. */
llvm::Function *surelyCalled(const llvm::CallBase &call);

/* The allocator that a call surely reaches; nullptr: none. */
const allocator *allocatorCalled(const llvm::CallBase &call);

/* The allocator of the whole process that the function is, by its own name and type; nullptr: none. */
const allocator *allocatorThatIs(const llvm::Function &function);

/* Whether it is one. */
bool isAllocator(const llvm::Function &function);

/* Before the optimizer: has a call stay a call of its own, so that it has a site. */
void keepApart(llvm::CallBase &call);

/* When its site is passed: calls that stay alike are merged as without us, which makes a large C++ file 0.5%
 * smaller. */
void letMerge(llvm::CallBase &call);

/* A call through a pointer that may return a block. */
bool mayBeHook(const llvm::CallBase &call);

/* Before the optimizer: notes that what the call returns is handed on by the wrapper that it stands in. */
void markHook(llvm::CallBase &call);

/* The calls so noted that still reach nobody knows what: AllocatorCalls without a callee. */
llvm::SmallVector<AllocatorCall, 2> findHooks(llvm::Function &function);

/* The calls of allocators and wrappers in a function, in the order of its code. A musttail call that need not
 * allocate is left alone: nobody would take the site that is handed over for it. */
llvm::SmallVector<AllocatorCall, 8> findAllocatorCalls(llvm::Function &function);

} // namespace allocsite

#endif
