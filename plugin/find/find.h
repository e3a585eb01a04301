/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions that calls reach, and notes on calls: the optimizer leaves them for the second stage. */
#ifndef ALLOCSITE_FIND_FIND_H
#define ALLOCSITE_FIND_FIND_H

#include "base/allocators.h"
#include "base/names.h"
#include "types/types.h"

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
    llvm::Function *callee; // nullptr: called by a pointer: a hook, or on behalf of the standard library
    const allocator *what;  // nullptr: the callee is a wrapper
};

/* Whether whatever answers a call of this wrapper surely is the code seen here, which takes the site that its
 * caller has left. */
bool takesSite(const llvm::Function &wrapper);
bool takesSite(const AllocatorCall &call);

/* Whether calls in the body of this function become sites: it has a body of its own, and is not itself one of
 * the allocators (its inner malloc is how it works; its callers are the sites). */
bool isInstrumented(const llvm::Function &function);

/* The function that a call surely reaches, by its name or a constant pointer; nullptr: unknown. */
llvm::Function *surelyCalled(const llvm::CallBase &call);

/* The allocator that a call surely reaches; nullptr: none. */
const allocator *allocatorCalled(const llvm::CallBase &call);

/* The allocator of the whole process that the function is, by its name and the type that it is called with or
 * has itself; nullptr: none. */
const allocator *allocatorThatIs(const llvm::Function &function, const llvm::FunctionType *type);
const allocator *allocatorThatIs(const llvm::Function &function);

/* Whether it is one. */
bool isAllocator(const llvm::Function &function);

/* As its callers write it: one of the C library or of C++'s runtime, defined elsewhere, that allocates for
 * itself on behalf of the line that calls it (allocators.h). nullptr: it is none. */
const char *knownInside(const llvm::Function &function);

/* Whether it is defined elsewhere, returns as often as it is called, and may write to memory: all that
 * allocates does. */
bool couldAllocate(const llvm::Function &function);

/* Whether the call is one of those, but of a stream that has no buffer, or the process's. */
bool isOfStandardStream(const llvm::CallBase &call);

/* Whether it can only be the allocator of that name, but is called as if it were not. */
bool isMisdeclared(const llvm::Function &function);

/* Whether it only tells the runtime of a custom allocator's block: its site is named after the function that
 * it stands in. */
bool tellsOfCustom(const allocator *what);

/* Whether it returns a stream, and leaves where it is told the text that is written to that. */
bool opensText(const allocator *what);

/* Whether a value of the type can be a size or a count. */
bool isSize(const llvm::Type &type);

/* A call through a pointer that may return a block. */
bool mayBeHook(const llvm::CallBase &call);

/* ---- Notes on calls. */

/* Its number among the calls of one place, from 0. It goes into its location, which inlining keeps and a call
 * has that LLVM makes of this one; an allocator's also into metadata, for where clang uses that part of the
 * location itself. */
void setOrdinal(const AllocatorCall &call, unsigned ordinal);
unsigned ordinalOf(const AllocatorCall &call);
unsigned ordinalOf(const llvm::DILocation &location);

/* A call by a pointer that may allocate, or give a block back: it leaves its site. */
void setAllocatesByPointer(llvm::CallBase &call, bool isOfLibrary);
void setFreesByPointer(llvm::CallBase &call);
bool allocatesByPointer(const llvm::CallBase &call); // or frees
bool isOfLibraryByPointer(const llvm::CallBase &call);
bool freesByPointer(const llvm::CallBase &call);

/* A call of what could be a wrapper that surely hands on nothing. */
void setDisproved(llvm::CallBase &call);
bool isDisproved(const llvm::CallBase &call);

/* Before the optimizer: has a call stay a call of its own, so that it has a site. */
void keepApart(llvm::CallBase &call);

/* When its site is passed: calls that stay alike are merged as without us, which makes a large C++ file 0.5%
 * smaller. */
void letMerge(llvm::CallBase &call);

/* ---- What the half that sees the AST tells (question.cpp). */

/* Of a call with a line, callee being the symbol that it calls, none by a pointer: the one of that number
 * among so many at its place. Empty: unknown, or that half is not there. */
std::string askAST(allocsite_types_find *find, const llvm::CallBase &call, llvm::StringRef callee,
                   unsigned ordinal, unsigned count, bool held);

/* Whether a call of new in an instance of a template makes what the caller has given or named. */
bool makesElement(const llvm::CallBase &call);

/* Whether a call by a pointer is given a text and returns one that may be changed; whether it is given a
 * buffer to be changed, and something else. */
bool copiesTextByPointer(const llvm::CallBase &call);
bool growsByPointer(const llvm::CallBase &call);

/* ---- Code of libraries (library.cpp): the C++ standard library by its names, others by their headers or as
 * the user names them; and what clang makes of a class. No person would name a line in it as the one that
 * allocates. */

/* Asks the half that sees the AST about a header that it has not been asked about yet: before the optimizer.
 */
bool isOfLibrary(const llvm::Function &function);
bool isOfLibrary(const llvm::DILocation &location, const FunctionName &name);

/* The header of a library that it is written in; empty: it is in none. */
std::string libraryFileOf(const llvm::Function &function);

/* Whether it is defined in the libraries that clang itself runs with, which are C's and C++'s. */
bool isOfLanguage(const llvm::Function &function);

/* Whether it may allocate in a library that is not the language's own: a header of one declares it, and
 * not as one that throws nothing. Before the optimizer as well. */
bool mayAllocateInLibrary(const llvm::Function &function);

/* The C library's functions that return their first argument. */
bool returnsFirst(const llvm::Function &function);

/* The argument that a call surely returns; nullptr: none. */
llvm::Value *returnedArgument(const llvm::CallBase &call);

/* The C library's functions that measure text. */
bool measuresText(const llvm::Function &function);

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
