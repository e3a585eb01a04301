/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds allocator calls, and attaches notes to them that the optimizer preserves for the second stage. */
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

/* Returns whether the module is for the machine that the plugin runs on. The runtime exists for no other. */
bool hasRuntime(const llvm::Module &module);

struct AllocatorCall {
    llvm::CallBase *call;
    llvm::Function *callee;
    const allocator *row; // in the table of base/allocators.h
};

/* Returns the allocator calls in a function, in the order of its instructions. Excludes musttail calls,
 * because they cannot take an additional argument. */
llvm::SmallVector<AllocatorCall, 8> findAllocatorCalls(llvm::Function &function);

/* Returns whether calls in the body of this function become sites. The caller must be defined in this module,
 * and must not be an allocator itself: within a program's own malloc, calls are an implementation detail, and
 * the callers of this malloc are the sites. */
bool isInstrumented(const llvm::Function &function);

/* Returns the function that a call certainly reaches, by name or through a constant pointer; nullptr if
 * unknown. */
llvm::Function *surelyCalled(const llvm::CallBase &call);

/* Returns whether a call of the function certainly reaches the body in this module. */
bool isOnlyCode(const llvm::Function &function);

/* Returns the allocator that a call certainly reaches, or nullptr. */
const allocator *allocatorCalled(const llvm::CallBase &call);

/* Returns the process-wide allocator that the function is, or nullptr. Compares the name and the type, which
 * is that of a call or the function's own. */
const allocator *allocatorThatIs(const llvm::Function &function, const llvm::FunctionType *type);
const allocator *allocatorThatIs(const llvm::Function &function);

bool isAllocator(const llvm::Function &function);

/* Returns whether the function can only be the allocator of that name, but is called with another
 * prototype. */
bool isMisdeclared(const llvm::Function &function);

/* Returns whether the call reports a block of a custom allocator. Its site is named after the function that
 * contains it. */
bool reportsCustomBlock(const allocator *row);

/* Returns whether a value of the type can be a size or a count. */
bool isSize(const llvm::Type &type);

/* Returns whether the call goes through a pointer and may return a block. */
bool mayBeHook(const llvm::CallBase &call);

/* ---- Notes on calls. */

/* The ordinal of a call among the calls at one source location, from 0. It is stored in the discriminator of
 * the debug location, which LLVM copies to calls that it derives from this one. It is also stored in
 * metadata, because clang may use discriminators itself. */
void setOrdinal(llvm::CallBase &call, unsigned ordinal);
unsigned ordinalOf(const llvm::CallBase &call);

/* Before the optimizer: prevents the call from being merged with others, so that it has its own site. */
void preventMerging(llvm::CallBase &call);

/* After the call has its site: allows merging again, as without the plugin. Makes a large C++ file 0.5%
 * smaller. */
void allowMerging(llvm::CallBase &call);

/* ---- Library code (library.cpp): the C++ standard library by its names, other libraries by their headers or
 * as the user names them, and functions that clang generates for a class. Reports never name a line in
 * library code as the line that allocates. */

bool isOfLibrary(const llvm::Function &function);

/* Returns the library header that contains the function; empty if none does. */
std::string libraryFileOf(const llvm::Function &function);

/* Returns whether the C or C++ library defines the function, as seen in the libraries that clang itself runs
 * with. */
bool isOfLanguage(const llvm::Function &function);

/* Returns whether a function of the C or C++ library returns a block that the caller has to free, as fopen
 * does. */
bool returnsBlock(const llvm::Function &function);

/* Returns whether a function of the C library stores a block through its first argument, as asprintf does. */
bool storesBlock(const llvm::Function &function);

/* Returns whether the function is one of the C library that returns its first argument. */
bool returnsFirst(const llvm::Function &function);

/* ---- Calls that may reach an allocation in code that keeps calling contexts (reaching.cpp). */

/* Finds the functions that may allocate. A function that another module may replace is assumed to allocate,
 * unless it was noted as quiet: its body in this module does not matter. A call through a pointer is assumed
 * to allocate, too. Attributes are not trusted: programmers declare functions pure that cache their results
 * in heap memory. */
struct Reaching {
    /* Functions that may allocate and whose body here is certainly the one that runs. */
    llvm::DenseSet<const llvm::Function *> functions;
    bool isAsWritten;

    /* isAsWritten: the module is unoptimized and its allocator calls are not rewritten yet. */
    Reaching(const llvm::Module &module, bool isAsWritten);
    bool mayAllocate(const llvm::CallBase &call) const;

  private:
    bool isBodyDecisive(const llvm::Function &function) const;
};

/* Before the optimizer: notes the inline functions and template instances that never allocate as written. All
 * copies of such a function come from the same source. So none of them allocates, and it does not matter
 * which copy the linker keeps. After the optimizer, one copy proves nothing: the optimizer may have removed
 * calls in this copy that another file's copy still contains. */
void noteQuiet(llvm::Module &module, const Reaching &reaching);

} // namespace allocsite

#endif
