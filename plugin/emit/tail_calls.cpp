/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "emit/tail_calls.h"

#include "base/compat.h"
#include "find/find.h"

#include <llvm/ADT/SCCIterator.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

template <> struct llvm::GraphTraits<allocsite::TailNode *> {
    using NodeRef = allocsite::TailNode *;
    using ChildIteratorType = SmallVectorImpl<allocsite::TailNode *>::iterator;
    static NodeRef getEntryNode(NodeRef node) {
        return node;
    }
    static ChildIteratorType child_begin(NodeRef node) {
        return node->successors.begin();
    }
    static ChildIteratorType child_end(NodeRef node) {
        return node->successors.end();
    }
};

namespace allocsite {

/* All pointers are passed alike, and a virtual call has the type of the base class. */
static Type *passedAs(Type *type) {
    return type->isPointerTy() ? pointerType(type->getContext()) : type;
}

static FunctionType *shapeOf(const FunctionType &type) {
    SmallVector<Type *, 8> params;
    for (Type *param : type.params())
        params.push_back(passedAs(param));
    return FunctionType::get(passedAs(type.getReturnType()), params, type.isVarArg());
}

static bool makesNoCode(const Instruction &instruction) {
    return isa<DbgInfoIntrinsic>(instruction) || instruction.isLifetimeStartOrEnd() ||
           isa<BitCastInst>(instruction) || isa<PHINode>(instruction);
}

/* Returns whether only a return follows. The return may be in a block that several calls share, because the
 * code generator gives each of them its own return. */
static bool isLast(const CallInst &call) {
    const Instruction *next = call.getNextNode();
    for (unsigned blocks = 0; next && blocks < 4;) {
        if (isa<ReturnInst>(next))
            return true;
        auto *branch = dyn_cast<BranchInst>(next);
        if (branch ? branch->isConditional() : !makesNoCode(*next))
            return false;
        blocks += branch != nullptr;
        next = branch ? &branch->getSuccessor(0)->front() : next->getNextNode();
    }
    return false;
}

static bool isTailCall(const CallInst &call) {
    bool areOff = call.getFunction()->getFnAttribute("disable-tail-calls").getValueAsBool();
    return call.isMustTailCall() || (call.isTailCall() && !areOff && isLast(call));
}

static bool isVisible(const Function &function) {
    return !function.hasLocalLinkage() || function.hasAddressTaken();
}

TailNode &TailCalls::addNode() {
    nodes.push_back(std::make_unique<TailNode>());
    return *nodes.back();
}

TailNode &TailCalls::shapeNode(FunctionType &type) {
    TailNode *&node = ofShape[shapeOf(type)];
    if (!node)
        node = &addNode();
    return *node;
}

/* Returns whether the callee belongs to the runtime or the C library. Functions of these libraries never
 * tail-call functions of the program. */
static bool isOutsideProgram(const Function &callee, const TargetLibraryInfoImpl &library) {
    LibFunc function;
    StringRef name = symbolOf(callee);
    return callee.isIntrinsic() || name.find(ALLOCSITE_ENTRY_PREFIX) == 0 ||
           library.getLibFunc(name, function);
}

/* Returns nullptr if the callee cannot be part of a cycle. */
TailNode *TailCalls::target(const CallInst &call) const {
    if (call.isInlineAsm())
        return nullptr;
    const Function *callee = surelyCalled(call);
    if (callee && !callee->isDeclaration())
        return ofFunction.lookup(callee);
    return callee && isOutsideProgram(*callee, library) ? nullptr
                                                        : ofShape.lookup(shapeOf(*call.getFunctionType()));
}

void TailCalls::addEdges(Function &function) {
    TailNode &node = *ofFunction[&function];
    if (isVisible(function))
        shapeNode(*function.getFunctionType()).successors.push_back(&node);
    for (Instruction &instruction : instructions(function)) {
        auto *call = dyn_cast<CallInst>(&instruction);
        if (TailNode *to = call && isTailCall(*call) ? target(*call) : nullptr)
            node.successors.push_back(to);
    }
}

/* A root node leads to all others, so that one traversal finds all cycles. */
void TailCalls::findCycles() {
    TailNode all;
    for (auto &node : nodes)
        all.successors.push_back(node.get());
    unsigned component = 0;
    for (auto cycle = scc_begin(&all); !cycle.isAtEnd(); ++cycle, ++component)
        for (TailNode *node : *cycle)
            node->component = component;
}

TailCalls::TailCalls(Module &module) : library(Triple(module.getTargetTriple())) {
    for (Function &function : module)
        if (!function.isDeclaration()) {
            ofFunction[&function] = &addNode();
            shapeNode(*function.getFunctionType());
        }
    for (Function &function : module)
        if (!function.isDeclaration())
            addEdges(function);
    findCycles();
}

bool TailCalls::mayCloseCycle(const CallInst &call) const {
    TailNode *to = isTailCall(call) ? target(call) : nullptr;
    return to && to->component == ofFunction.lookup(call.getFunction())->component;
}

} // namespace allocsite
