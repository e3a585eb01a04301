/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lifting at run time, where a wrapper was not inlined: its caller leaves its site in a thread-local variable
 * of the runtime just before the call, and the wrapper takes it at its entry. So the outermost call wins, and
 * nothing is left for another one to find. Where both stand in one file it is a parameter instead, and so it
 * is across files where no other module can replace the wrapper (see the twins below). */
#ifndef ALLOCSITE_LIFT_LIFT_H
#define ALLOCSITE_LIFT_LIFT_H

#include "base/allocators.h"
#include "find/find.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <string>

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
    llvm::MapVector<llvm::Function *, llvm::Function *> standIns;    // for twins, each with its wrapper
    llvm::DenseMap<llvm::Function *, llvm::Function *> sharedBodies; // by wrapper (lift_direct.cpp)
    llvm::SmallVector<llvm::GlobalVariable *, 4> kept;               // sites that no code may name

    /* Where the code of a function will be. */
    llvm::Function &codeOf(llvm::Function &function) const {
        llvm::Function *body = sharedBodies.lookup(&function);
        return body ? *body : function;
    }
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

/* For who surely takes it. */
llvm::StoreInst *leave(llvm::IRBuilder<> &builder, llvm::Value *site);

/* Takes away what was left. */
llvm::StoreInst *clearSite(llvm::IRBuilder<> &builder);

/* Before anything is lifted: for functions that each file has a copy of, one with the site as a parameter,
 * whose code comes with passDirectly. The site of a call of it may be null. */
void declareSharedBodies(llvm::Module &module, Lifting &lifting);
bool callSharedBody(const AllocatorCall &found, llvm::Value *site, const Lifting &lifting);

/* When all is lifted: has wrappers take the site as a parameter from the calls in the module, which costs no
 * memory access, and which no signal handler can come between. */
void passDirectly(Lifting &lifting);

/* The load of what was left, at the entry of a function that takes it; null: it takes nothing. */
llvm::LoadInst *takingOf(llvm::Function &function);

/* An attribute of functions that only jump to others: what they call is called by their caller. */
constexpr const char *OnlyJumps = "allocsite-only-jumps";

/* Words of 32 bits just before the code of a function, by which others find out what it is: the last tells
 * the runtime that the function keeps its calling context, the one before it tells callers that it takes the
 * site that was left. */
enum CodeMark { MARK_CONTEXT = 1, MARK_TAKES = 2 };
void markCode(llvm::Function &function, CodeMark mark, uint32_t word);

/* At last: a site that the next one replaces before anything can take it is not taken away first. The code
 * costs more to compile than to run. */
void clearOnce(llvm::Module &module);

/* ---- Calls that pass their site as one more argument (site_argument.cpp). */

/* The arguments of a call with the site put in, with what goes along with them. */
struct Arguments {
    llvm::SmallVector<llvm::Type *, 6> types;
    llvm::SmallVector<llvm::Value *, 6> values;
    llvm::SmallVector<llvm::AttributeSet, 6> attributes;

    void add(llvm::Type *type, llvm::Value *value, llvm::AttributeSet set) {
        if (type)
            types.push_back(type);
        values.push_back(value);
        attributes.push_back(set);
    }
};

/* The function's own type, with the site as one more parameter. */
llvm::FunctionType *typeWithSite(const llvm::Function &function);

Arguments withSite(llvm::CallBase &call, llvm::Value *site, site_position position);

/* Has an allocator's numbers be those of its own prototype. The upper half of a register that holds 32 bits
 * has no meaning in the ABI; zero is what code leaves there, so what was asked for without us stays so. */
void extendNumbers(llvm::CallBase &call, const allocator &what, Arguments &arguments);

/* The attributes of a function, or of a call, for one that takes the site as well. Leaves out the function
 * attributes that hold for the former signature only: LLVM rejects the module, or reads other arguments. */
llvm::AttributeSet withoutSignature(llvm::LLVMContext &context, llvm::AttributeSet attributes,
                                    site_position position);

/* Makes another call in the place of this one, which ceases to exist. */
void callInstead(llvm::CallBase &call, llvm::FunctionCallee callee, const Arguments &arguments,
                 site_position position = SITE_LAST);

/* ---- A site that is left has to go as well when an exception, or the end of the thread, leaves the call
 * (unwinding.cpp). */

void clearWhenUnwound(llvm::Function &function, llvm::ArrayRef<AllocatorCall> calls);

/* Before LTO, which inlines functions only into those of the same personality: gives all of a module that
 * have one the same. */
void alignPersonalities(llvm::Module &module);

/* ---- Lifting across the files of a module (twin.cpp). The file that defines a wrapper has its code under
 * another name as well, with the site as one more parameter: its twin. A file that calls it brings a stand-in
 * of that name, for when no twin is linked: the wrapper stands in another module, was not compiled with the
 * plugin, or may be replaced. Of what surely is a wrapper it leaves the site for the wrapper itself; of what
 * only could be one by its declaration (wrap/possible.cpp) if that has the mark of who takes one, and else it
 * is a jump.
 *
 * Where a call cannot go to a twin (nothing is optimized, variable arguments) the site is left by that mark,
 * too. */

/* The name of the twin of what is defined here; empty: it has none. */
std::string twinOf(const llvm::Function &wrapper);

/* Calls the twin instead, if there may be one. The site is never null when the program runs: a twin does not
 * ask. */
bool callTwin(const AllocatorCall &found, llvm::Value *site, Lifting &lifting);

/* Whether there is a way for the site of a call. None: its callee could be a wrapper, but nothing may come
 * between the call and the function that makes it. */
bool mayReach(const AllocatorCall &found);

/* For a call that does not go to a twin: null where the callee, which could be a wrapper, is none. */
llvm::Value *siteIfWrapper(const AllocatorCall &found, llvm::Value *site);

/* The twin of a wrapper whose code is in a body of its own, with the site as its last parameter. */
void addTwin(const std::string &name, llvm::Function &wrapper, llvm::Function &body);

/* When all is lifted: for wrappers that have no twin yet one that leaves the site, and marks. */
void addTwins(llvm::Module &module, Lifting &lifting);
void addStandIns(Lifting &lifting);

} // namespace allocsite

#endif
