/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Places that a block is stored in, by the way there, so that two of them can be compared. */
#ifndef ALLOCSITE_WRAP_ACCESS_PATH_H
#define ALLOCSITE_WRAP_ACCESS_PATH_H

#include <cstdint>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Argument.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <optional>

namespace allocsite {

/* A pointer: a parameter or a global with the first step added, then for each further step what is loaded
 * there with the step added. */
struct AccessPath {
    llvm::Value *root;
    llvm::SmallVector<int64_t, 4> steps;
};

/* Nothing: the way there is not always the same, as through an array. */
std::optional<AccessPath> accessPathOf(llvm::Value &pointer, const llvm::Instruction &user);

/* What a place of a called function is for the caller. */
std::optional<AccessPath> accessPathFor(const llvm::CallBase &call, const AccessPath &place);

/* What a function sets where it loads from, if that is a place in what it was given. */
llvm::SmallVector<llvm::Value *, 2> setWhereLoaded(const llvm::LoadInst &load);

/* Whether it is what a parameter points at. */
bool isWhereTold(const AccessPath &place, const llvm::Argument &parameter);

/* What is done with a block. */
struct Stored {
    llvm::SmallVector<AccessPath, 2> places; // that hold the block now
    llvm::SmallVector<AccessPath, 2> held;   // pointers that the block holds now
    bool hasNumbers = false;                 // the block has members that are set
    bool hasPointers = false;                // or others that are
    bool isElsewhere = false;                // it is stored where no place is known
    bool isGiven = false;                    // other code sees it, which may store it

    /* What a function does with a block that it is given. */
    void add(const Stored &inner, const llvm::CallBase &call);
};

/* Whether it is stored nowhere but in lists: each place held another block, which is now behind this one.
 * Who links its blocks so looks at all of them (a collector, a tracker), and does not hand one out twice. */
bool isOnlyInLists(const Stored &stored);

} // namespace allocsite

#endif
