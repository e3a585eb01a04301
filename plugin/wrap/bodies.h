/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The wrappers whose bodies show it, before the optimizer has touched them; and functions of other files that
 * could be wrappers, by what their declarations say. Only the linker knows of those: a call goes to the twin
 * (lift/lift.h), which costs a jump where there is none. */
#ifndef ALLOCSITE_WRAP_BODIES_H
#define ALLOCSITE_WRAP_BODIES_H

#include "wrap/flow.h"
#include "wrap/wrappers.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <optional>

namespace allocsite {

struct FoundWrapper {
    Wrapper wrapper;
    llvm::SmallPtrSet<llvm::CallBase *, 4> handedOn; // the calls whose blocks are its callers'
    bool handsOnAll = false;                         // all calls are: the list says no more
    ParameterSet sizes = 0;                          // parameters that the size depends on
    ParameterSet written = 0;                        // of a possible one: that text may be written to
    unsigned out = 0;                                // of a possible one: where it may leave its block
    unsigned holder = 0;                             // whose block it makes grow, or may
};

using FoundWrappers = llvm::MapVector<llvm::Function *, FoundWrapper>;

/* The positions of the arguments of an allocator. */
Wrapper argumentsOf(const allocator &what);

/* The first of some parameters, from 1. */
inline uint8_t firstOf(ParameterSet parameters) {
    return __builtin_ctzll(parameters) + 1;
}

/* The functions that call it by its name. */
void addCallers(const llvm::Function &function, llvm::SmallVectorImpl<llvm::Function *> &next);

/* Whether a body shows what a function is. */
bool maySearch(const llvm::Function &function);

/* Functions of `ignored` are none. */
void searchAllocations(llvm::Module &module, Flow &flow,
                       const llvm::SmallPtrSetImpl<const llvm::Function *> &ignored, FoundWrappers &found);
/* frees.cpp */
void searchFrees(llvm::Module &module, Flow &flow,
                 const llvm::SmallPtrSetImpl<const llvm::Function *> &ignored, FoundWrappers &found);

/* growers.cpp */
void searchGrowers(llvm::Module &module, Flow &flow,
                   const llvm::SmallPtrSetImpl<const llvm::Function *> &ignored, FoundWrappers &found);

/* The parameter whose structure holds the block of a call that allocates, where the function makes it for its
 * callers; nullptr: none (held.cpp). */
llvm::Argument *holderOf(llvm::CallBase &call, const FoundWrappers &found, Flow &flow);

/* Whether it points at a structure, or is an object of a class, that is no more than a block and numbers, as
 * far as somebody sees the source (possible.cpp). */
bool isBuffer(const llvm::Argument &argument);

/* Whether it is the object of a class template whose function is given an element, which counts as a buffer
 * as well. */
bool isContainer(const llvm::Argument &argument);

/* Whether such a function is given an element by it. */
bool isElement(const llvm::Argument &argument);

/* Whether it points at a pointer, or at no matter what, as far as that. */
bool isPlaceOfBlock(const llvm::Argument &argument);

/* detached.cpp: after the growers, by which a buffer is written to. */
void searchDetached(llvm::Module &module, Flow &flow,
                    const llvm::SmallPtrSetImpl<const llvm::Function *> &ignored, FoundWrappers &found);

/* parts.cpp */
void searchParts(llvm::Module &module, Flow &flow,
                 const llvm::SmallPtrSetImpl<const llvm::Function *> &ignored, FoundWrappers &found);

/* made_by_macros.cpp: after all others, whose calls they make. */
void searchMadeByMacros(llvm::Module &module, const llvm::SmallPtrSetImpl<const llvm::Function *> &ignored,
                        FoundWrappers &found);

/* A realloc to nothing frees: that is the caller's doing as well. */
void handOnFrees(llvm::Function &function, Flow &flow, const FoundWrappers &found, FoundWrapper &wrapper);

/* Takes from what is only possible what its calls speak against: nobody gives back a local variable, nor is
 * text allocated that is written where one says. */
void dropDisproved(FoundWrappers &found);

/* By its declaration (possible.cpp). Nothing: it is none, or its body is here. */
std::optional<FoundWrapper> possibleWrapper(const llvm::Function &function);

/* Whether files that see no more than the declaration of a wrapper leave their site for it, as far as is
 * known (possible.cpp). */
bool isToldByDeclaration(const llvm::Function &function);

} // namespace allocsite

#endif
