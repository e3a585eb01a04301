/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tail calls in code that keeps calling contexts.
 *
 * The code generator turns a tail call into a jump, and the caller's frame is gone from the stack. Call paths
 * would lack it, so calls that may come to an allocation become ordinary calls. Only a tail call that may be
 * part of a cycle stays one, because a program may run through the cycle any number of times (state machines,
 * threaded interpreters) and needs a constant amount of stack for that. */
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

/* A function of the module, or whatever can be called with one shape. */
struct TailNode {
    llvm::SmallVector<TailNode *, 4> next;
    unsigned component = 0; /* nodes of one cycle have the same one */
};

/* Which tail calls of a module may close a cycle. Nodes are functions, and edges tail calls. A function of
 * another module, or one called through a pointer, is known by its shape alone (how its type is passed): it
 * is assumed to call, as a tail call, every function of the same shape that is visible to it. */
class TailCalls {
  public:
    explicit TailCalls(llvm::Module &module);

    /* Whether the call has to stay a tail call. */
    bool mayCloseCycle(const llvm::CallInst &call) const;

  private:
    llvm::TargetLibraryInfoImpl library;
    std::vector<std::unique_ptr<TailNode>> nodes;
    llvm::DenseMap<const llvm::Function *, TailNode *> ofFunction;
    llvm::DenseMap<const void *, TailNode *> ofShape;

    TailNode &add();
    TailNode &shapeNode(llvm::FunctionType &type);
    TailNode *target(const llvm::CallInst &call) const;
    void addEdges(llvm::Function &function);
    void findCycles();
};

} // namespace allocsite

#endif
