/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The origins of the values of a function, and where its blocks go, in the IR as clang makes it: locals are
 * still in memory (alloca), at every level of optimization. */
#ifndef ALLOCSITE_WRAP_FLOW_H
#define ALLOCSITE_WRAP_FLOW_H

#include "wrap/access_path.h"

#include <cstdint>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <map>

namespace allocsite {

/* Parameters by their bits. The 65th and those behind it are never looked for. */
using ParameterSet = uint64_t;

/* number: from 1; 0: none. */
inline ParameterSet parameterSet(unsigned number) {
    return number && number <= 64 ? ParameterSet(1) << (number - 1) : 0;
}

/* The values that a pointer can have, besides null. */
struct Origins {
    llvm::SmallSetVector<llvm::CallBase *, 4> calls; // what these return, or store where they are told to
    ParameterSet parameters = 0;
    bool isOffset = false;  // not all of it: some way here adds to a pointer
    bool isUnknown = false; // it can be something else, too
};

class Flow {
  public:
    Origins originsOf(llvm::Value *pointer);

    /* Of what a function returns. */
    const Origins &returnedBy(const llvm::Function &function);

    /* The parameters that a value is computed from. */
    ParameterSet parametersBehind(llvm::Value *value);

    /* Whether the block that a call returned is stored where others find it: lists apart (access_path.h). */
    bool isPublished(llvm::CallBase &block);

  private:
    llvm::DenseMap<const llvm::Function *, Origins> returned;
    std::map<std::pair<const llvm::Function *, unsigned>, Stored> kept;

    /* A block: what a call returned, or what a function was given. */
    struct Fresh {
        const llvm::CallBase *call;
        ParameterSet parameter;
    };

    const Stored &keeps(llvm::Function &function, unsigned parameter);
    void addStores(llvm::Value *from, const Fresh &fresh, Stored &stored);
    void addStore(llvm::StoreInst &store, llvm::Value *value, const Fresh &fresh, Stored &stored,
                  llvm::SmallVectorImpl<llvm::Value *> &next);
    void addCall(llvm::CallBase &call, llvm::Value *value, Stored &stored);
    void addUse(llvm::User &user, llvm::Value *value, const Fresh &fresh, Stored &stored,
                llvm::SmallVectorImpl<llvm::Value *> &next);
    bool staysIn(llvm::Value *place, const Fresh &fresh);
    void follow(llvm::Value *value, llvm::SmallVectorImpl<llvm::Value *> &next, Origins &origins);
    void followCall(llvm::CallBase &call, llvm::SmallVectorImpl<llvm::Value *> &next, Origins &origins);
};

/* The local variable that a call of posix_memalign, asprintf or the like leaves its block in; nullptr: it is
 * no such call, or leaves it elsewhere. */
llvm::AllocaInst *outVariable(const llvm::CallBase &call);

} // namespace allocsite

#endif
