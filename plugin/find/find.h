/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The calls of allocators, and notes on them: the optimizer leaves these for the second stage. */
#ifndef ALLOCSITE_FIND_FIND_H
#define ALLOCSITE_FIND_FIND_H

#include "base/allocators.h"
#include "base/names.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

namespace allocsite {

/* Whether the module is for the machine that the plugin runs on, as the runtime is. */
bool hasRuntime(const llvm::Module &module);

struct AllocatorCall {
    llvm::CallBase *call;
    llvm::Function *callee;
    const allocator *what;
};

/* The calls of allocators in a function, in the order of its code. A musttail call is none: nothing can be
 * added to its arguments. */
llvm::SmallVector<AllocatorCall, 8> findAllocatorCalls(llvm::Function &function);

/* Whether calls in the body of this function become sites: it has a body of its own, and is not itself one of
 * the allocators (its inner malloc is how it works; its callers are the sites). */
bool isInstrumented(const llvm::Function &function);

/* The function that a call surely reaches, by its name or a constant pointer; nullptr: unknown. */
llvm::Function *surelyCalled(const llvm::CallBase &call);

/* Whether the code that is seen here is surely what answers a call of the function. */
bool isOnlyCode(const llvm::Function &function);

/* The allocator that a call surely reaches; nullptr: none. */
const allocator *allocatorCalled(const llvm::CallBase &call);

/* The allocator of the whole process that the function is, by its name and the type that it is called with or
 * has itself; nullptr: none. */
const allocator *allocatorThatIs(const llvm::Function &function, const llvm::FunctionType *type);
const allocator *allocatorThatIs(const llvm::Function &function);

/* Whether it is one. */
bool isAllocator(const llvm::Function &function);

/* Whether it can only be the allocator of that name, but is called as if it were not. */
bool isMisdeclared(const llvm::Function &function);

/* Whether it only tells the runtime of a custom allocator's block: its site is named after the function that
 * it stands in. */
bool tellsOfCustom(const allocator *what);

/* Whether a value of the type can be a size or a count. */
bool isSize(const llvm::Type &type);

/* A call through a pointer that may return a block. */
bool mayBeHook(const llvm::CallBase &call);

/* ---- Notes on calls. */

/* The number of a call among the calls at one source location, from 0. It is kept in the debug location,
 * which LLVM copies to calls that it makes of this one, and in metadata, because clang may use that part of
 * the location. */
void setOrdinal(llvm::CallBase &call, unsigned ordinal);
unsigned ordinalOf(const llvm::CallBase &call);

/* Before the optimizer: has a call stay a call of its own, so that it has a site. */
void keepApart(llvm::CallBase &call);

/* When its site is passed: calls that stay alike are merged as without us, which makes a large C++ file 0.5%
 * smaller. */
void letMerge(llvm::CallBase &call);

/* ---- Code of libraries (library.cpp): the C++ standard library by its names, others by their headers or as
 * the user names them; and what clang makes of a class. No person would name a line in it as the one that
 * allocates. */

bool isOfLibrary(const llvm::Function &function);

/* The header of a library that it is written in; empty: it is in none. */
std::string libraryFileOf(const llvm::Function &function);

/* Whether it is defined in the libraries that clang itself runs with, which are C's and C++'s. */
bool isOfLanguage(const llvm::Function &function);

/* The C library's functions that return their first argument. */
bool returnsFirst(const llvm::Function &function);

/* ---- The calls that may come to an allocation of code that keeps calling contexts (reaching.cpp). */

/* What another module may bring in place of a function is taken to allocate, whatever the body does that is
 * seen here, unless that was noted to be quiet; so is whatever is called by a pointer. No attribute is
 * believed: people call functions pure that keep their results in memory. */
struct Reaching {
    llvm::DenseSet<const llvm::Function *> functions; // with such a call, and surely what answers one of them
    bool isAsWritten;

    /* isAsWritten: the optimizer has not seen the code yet, nor have allocator calls been rewritten. */
    Reaching(const llvm::Module &module, bool isAsWritten);
    bool mayAllocate(const llvm::CallBase &call) const;

  private:
    bool isKnown(const llvm::Function &function) const;
};

/* Before the optimizer: notes which inline functions and instances of templates come to no allocation as they
 * are written. Whichever copy of one the linker takes is of the same source, and does not either. After the
 * optimizer that cannot be told by the copy seen here, for in another file calls may be left that are gone in
 * this one. */
void noteQuiet(llvm::Module &module, const Reaching &reaching);

} // namespace allocsite

#endif
