/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tail calls in code that keeps calling contexts.
 *
 * The code generator turns a tail call into a jump, which removes the caller's frame from the stack. Call
 * paths would lack the caller, so calls that may reach an allocation become ordinary calls. The exception is
 * a tail call that may be part of a cycle. A program may run through the cycle any number of times (state
 * machines, threaded interpreters), and needs constant stack space for it. */
#ifndef ALLOCSITE_EMIT_TAIL_CALLS_H
#define ALLOCSITE_EMIT_TAIL_CALLS_H

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <memory>
#include <vector>

namespace allocsite {

/* A function of the module, or the set of all functions with one shape. */
struct TailNode {
    llvm::SmallVector<TailNode *, 4> successors;
    unsigned component = 0; /* equal for the nodes of one cycle */
};

/* Finds the tail calls of a module that may close a cycle. Nodes are functions and edges are tail calls.
 * Functions in other modules and functions called through pointers are known only by their shape, the way
 * their type is passed. Such a function is assumed to tail-call every visible function of the same shape. */
class TailCalls {
  public:
    explicit TailCalls(llvm::Module &module);

    /* Returns whether the call must stay a tail call. */
    bool mayCloseCycle(const llvm::CallInst &call) const;

  private:
    llvm::TargetLibraryInfoImpl library;
    std::vector<std::unique_ptr<TailNode>> nodes;
    llvm::DenseMap<const llvm::Function *, TailNode *> ofFunction;
    llvm::DenseMap<const void *, TailNode *> ofShape;

    TailNode &addNode();
    TailNode &shapeNode(llvm::FunctionType &type);
    TailNode *target(const llvm::CallInst &call) const;
    void addEdges(llvm::Function &function);
    void findCycles();
};

} // namespace allocsite

#endif
