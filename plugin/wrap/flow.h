/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The origins of the values of a function, and where its blocks go, in the IR as clang makes it: locals are
 * still in memory (alloca), at every level of optimization. */
#ifndef ALLOCSITE_WRAP_FLOW_H
#define ALLOCSITE_WRAP_FLOW_H

#include <cstdint>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Argument.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <map>
#include <optional>
#include <vector>

namespace allocsite {

/* ---- Places that a block is stored in, by the way there, so that two of them can be compared
 * (access_path.cpp). */

/* A pointer: a parameter or a global with the first step added, then for each further step what is loaded
 * there with the step added. */
struct AccessPath {
    llvm::Value *root;
    llvm::SmallVector<int64_t, 4> steps;
};

/* Nothing: the way there is not always the same, as through an array. */
std::optional<AccessPath> accessPathOf(llvm::Value &pointer, const llvm::Instruction &user);

/* The same, but that a pointer may also be what a call has returned. */
std::optional<AccessPath> accessPathOrBlockOf(llvm::Value &pointer, const llvm::Instruction &user);

/* What a place of a called function is for the caller. */
std::optional<AccessPath> accessPathFor(const llvm::CallBase &call, const AccessPath &place);

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

/* ---- The origins of values. */

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

    void add(const Origins &others);
};

class Flow {
  public:
    Origins originsOf(llvm::Value *pointer);

    /* Of what a function returns; of what it leaves for its caller where its result is none. */
    const Origins &returnedBy(const llvm::Function &function);
    const Origins &leftBy(const llvm::Function &function);

    /* The parameter, from 1, that tells where to leave it: a pointer to a pointer or to an object to be made.
     * 0: none. */
    unsigned outParameter(const llvm::Function &function);
    void declareOut(const llvm::Function &function, unsigned parameter);

    /* The parameters that a value is computed from, with what they point at or without; what the function set
     * there itself is what that was computed from. copied: those whose properties count, too. */
    ParameterSet parametersBehind(llvm::Value *value, bool isPointeeToo, ParameterSet copied = 0);

    /* The numbers that the caller gives with which one is compared that a number is computed from; isCounted:
     * if that one grows step by step. */
    ParameterSet limitsOf(llvm::Value *number, bool isCounted);

    /* The parameters that a call is handed as they are. */
    ParameterSet handedTo(const llvm::CallBase &call);

    /* Whether numbers are set in the block that a call returned: some thing is made of it. */
    bool isFilled(llvm::CallBase &block);

    /* Whether the block that a call returned is stored where others find it: lists apart (isOnlyInLists). */
    bool isPublished(llvm::CallBase &block);

    /* The known places that it is stored in. */
    llvm::SmallVector<AccessPath, 2> placesOf(llvm::CallBase &block);

    /* Whether nothing is set in it, and it is stored nowhere but in nodes and tables. */
    bool isUntouched(llvm::CallBase &block);

    /* Whether nobody but who is returned it can know of it: it is stored nowhere, and nobody else sees it. */
    bool isCallersAlone(llvm::CallBase &block);

  private:
    /* What a function leaves where a parameter says. */
    struct Left {
        unsigned parameter = 0;
        Origins origins = Origins();
    };

    llvm::DenseMap<const llvm::Function *, Origins> returned;
    std::map<const llvm::Function *, Left> left;
    std::map<const llvm::Argument *, Origins> stored;
    std::map<std::pair<const llvm::Function *, unsigned>, Stored> kept;

    /* A block: what a call returned, or what a function was given. */
    struct Fresh {
        const llvm::CallBase *call;
        ParameterSet parameter;
    };

    /* A number that a function sets in what it was given or has made. */
    struct NumberSet {
        AccessPath place;
        llvm::Value *value;
    };

    std::map<const llvm::Function *, std::vector<NumberSet>> numbers;

    ParameterSet parameterIn(llvm::Value *pointer);
    const std::vector<NumberSet> &numbersSetIn(const llvm::Function &function);
    void pushSetWhereLoaded(llvm::LoadInst &load, llvm::SmallVectorImpl<llvm::Value *> &next);
    void pushInputs(llvm::CallBase &call, ParameterSet copied, llvm::SmallVectorImpl<llvm::Value *> &next);
    const Left &leftOf(const llvm::Function &function);
    const Origins &storedAt(const llvm::Argument &out);
    Origins madeAt(const llvm::Argument &result);
    void addLeft(llvm::Instruction &instruction, const llvm::Argument &out, Origins &origins);
    unsigned outArgument(const llvm::CallBase &call);
    llvm::AllocaInst *outVariable(const llvm::CallBase &call);
    Stored storesOf(llvm::CallBase &block);
    const Stored &keeps(llvm::Function &function, unsigned parameter);
    void addStores(llvm::Value *from, const Fresh &fresh, Stored &stored);
    void addStore(llvm::StoreInst &store, llvm::Value *value, const Fresh &fresh, Stored &stored,
                  llvm::SmallVectorImpl<llvm::Value *> &next);
    void addCall(llvm::CallBase &call, llvm::Value *value, Stored &stored);
    void addUse(llvm::User &user, llvm::Value *value, const Fresh &fresh, Stored &stored,
                llvm::SmallVectorImpl<llvm::Value *> &next);
    bool staysIn(llvm::Value *place, const Fresh &fresh);
    void followVariable(llvm::AllocaInst &variable, bool isNumber, llvm::SmallVectorImpl<llvm::Value *> &next,
                        Origins &origins);
    bool followSetting(const llvm::CallBase &call, const llvm::AllocaInst &variable,
                       llvm::SmallVectorImpl<llvm::Value *> &next, Origins &origins);
    void follow(llvm::Value *value, llvm::SmallVectorImpl<llvm::Value *> &next, Origins &origins);
    void followCall(llvm::CallBase &call, llvm::SmallVectorImpl<llvm::Value *> &next, Origins &origins);
};

/* Whether a call makes the object that the function around it returns in memory. */
bool isMakingResult(const llvm::CallBase &call);

/* ---- Local variables in the IR as clang makes it: places in memory (alloca). */

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
