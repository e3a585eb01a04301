/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions whose result is a status, or none, and which leave their block where a parameter says, as
 * posix_memalign does: a pointer to a pointer; and those of C++ that return an object in memory. */
#include "find/find.h"
#include "wrap/flow.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace allocsite {

/* The pointer or reference that a type is by any name; nullptr: it is none. */
static const DIDerivedType *pointerIn(const DIType *type) {
    auto *derived = dyn_cast_or_null<DIDerivedType>(type);
    while (derived && derived->getTag() != dwarf::DW_TAG_pointer_type &&
           derived->getTag() != dwarf::DW_TAG_reference_type)
        derived = derived->getTag() == dwarf::DW_TAG_member
                      ? nullptr
                      : dyn_cast_or_null<DIDerivedType>(derived->getBaseType());
    return derived;
}

/* By what the source declares: the address of a structure says nothing of its first member. */
static bool isOut(const Argument &argument) {
    const Function &function = *argument.getParent();
    const DISubprogram *subprogram = function.getSubprogram();
    auto types = subprogram && subprogram->getType() ? subprogram->getType()->getTypeArray() : nullptr;
    if (!types || types.size() != function.arg_size() + 1 + function.isVarArg())
        return false;
    const DIDerivedType *outer = pointerIn(types[argument.getArgNo() + 1]);
    return outer && pointerIn(outer->getBaseType());
}

static bool isPlace(Value *pointer, const Instruction &user, const Argument &out) {
    std::optional<AccessPath> path =
        pointer->getType()->isPointerTy() ? accessPathOf(*pointer, user) : std::nullopt;
    return path && isWhereTold(*path, out);
}

void Flow::addLeft(Instruction &instruction, const Argument &out, Origins &origins) {
    if (auto *store = dyn_cast<StoreInst>(&instruction)) {
        if (store->getValueOperand()->getType()->isPointerTy() &&
            isPlace(store->getPointerOperand(), *store, out))
            origins.add(originsOf(store->getValueOperand()));
        return;
    }
    auto *step = dyn_cast<GetElementPtrInst>(&instruction);
    bool isArray = step && !step->hasAllZeroIndices() && isPlace(step->getPointerOperand(), *step, out);
    origins.isUnknown |= isArray;
    auto *call = dyn_cast<CallBase>(&instruction);
    for (unsigned i = 0; call && !isa<IntrinsicInst>(call) && i < call->arg_size(); i++) {
        if (!isPlace(call->getArgOperand(i), *call, out))
            continue;
        if (outArgument(*call) == i + 1)
            origins.calls.insert(call);
        else
            origins.isUnknown = true;
    }
}

const Origins &Flow::storedAt(const Argument &out) {
    auto [position, isNew] = stored.insert({&out, {}});
    if (!isNew)
        return position->second; // while it is looked for: nothing yet
    Origins origins;
    for (const Instruction &instruction : instructions(out.getParent()))
        addLeft(const_cast<Instruction &>(instruction), out, origins);
    return position->second = origins;
}

bool isMakingResult(const CallBase &call) {
    const Function *callee = surelyCalled(call), *function = call.getFunction();
    StringRef name = callee ? callee->getName() : "";
    bool isMaking =
        call.hasStructRetAttr() ||
        any_of(ArrayRef<StringRef>{"C1E", "C2E", "C1I", "C2I"}, // constructors, and templates of such
               [&](StringRef kind) { return name.contains(kind); });
    return callee && isMaking && function->hasStructRetAttr() && !call.arg_empty() &&
           isPlace(call.getArgOperand(0), call, *function->getArg(0));
}

/* What makes the object that a function returns in memory, if that is another such function or one of a
 * library, and the blocks that this is given. What adds to it later (push_back) does so at its own line. */
Origins Flow::madeAt(const Argument &result) {
    Origins origins;
    for (const Instruction &instruction : instructions(result.getParent())) {
        auto *call = dyn_cast<CallBase>(&instruction);
        if (!call || !isMakingResult(*call))
            continue;
        bool isLibrary = isOfLibrary(*surelyCalled(*call));
        if (isLibrary || call->hasStructRetAttr())
            origins.calls.insert(const_cast<CallBase *>(call));
        for (unsigned i = 1; isLibrary && i < call->arg_size(); i++) {
            Value *argument = call->getArgOperand(i);
            Origins given = argument->getType()->isPointerTy() ? originsOf(argument) : Origins();
            for (CallBase *block : given.calls)
                if (!given.isUnknown && allocatorCalled(*block))
                    origins.calls.insert(block);
        }
    }
    return origins;
}

/* The only one that is left a block. */
const Flow::Left &Flow::leftOf(const Function &function) {
    auto [position, isNew] = left.insert({&function, {}});
    Type *type = function.getReturnType();
    if (isNew && !function.isDeclaration() && function.hasStructRetAttr())
        return position->second = {1, madeAt(*function.getArg(0))};
    if (!isNew || function.isDeclaration() || (!type->isVoidTy() && !type->isIntegerTy()))
        return position->second;
    for (const Argument &argument : function.args()) {
        if (!isOut(argument))
            continue;
        Origins origins = storedAt(argument);
        if (origins.isUnknown || origins.calls.empty())
            continue;
        bool isFirst = !position->second.parameter;
        position->second = isFirst ? Left{argument.getArgNo() + 1, origins} : Left();
        if (!isFirst)
            break;
    }
    return position->second;
}

const Origins &Flow::leftBy(const Function &function) {
    return leftOf(function).origins;
}

unsigned Flow::outParameter(const Function &function) {
    return leftOf(function).parameter;
}

void Flow::declareOut(const Function &function, unsigned parameter) {
    left[&function] = {parameter, {}};
}

/* The argument of a call that is one, from 1; 0: none. */
unsigned Flow::outArgument(const CallBase &call) {
    const allocator *what = allocatorCalled(call);
    if (what)
        return opensText(what) ||
               (what->prototype[0] == 'i' && what->prototype[1] == 'p' && what->kind == ALLOCSITE_ALLOC);
    const Function *callee = surelyCalled(call);
    return callee && !callee->isIntrinsic() && !callee->hasStructRetAttr() ? outParameter(*callee) : 0;
}

} // namespace allocsite
