/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "find/find.h"

#include "base/compat.h"
#include "base/names.h"
#include "find/lists.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalAlias.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

using namespace llvm;

namespace allocsite {

bool hasRuntime(const Module &module) {
    Triple host(sys::getProcessTriple()), target(module.getTargetTriple());
    bool isAny = target.getArch() == Triple::UnknownArch; // IR without a target, as in tests
    return isAny || (host.getArch() == target.getArch() && host.getOS() == target.getOS() &&
                     module.getDataLayout().getPointerSizeInBits() == 8 * sizeof(void *));
}

/* A function with a void result may be declared to return a value, as old declarations of free do; the value
 * is never used. */
static bool fitsLetter(const Type *type, char letter) {
    bool isNumber = type->isIntegerTy() && type->getIntegerBitWidth() <= 64;
    switch (letter) {
    case 'v':
        return type->isVoidTy() || type->isPointerTy() || isNumber;
    case 'p':
        return type->isPointerTy();
    default:
        return isNumber;
    }
}

/* In a declaration without a prototype only the call has the types of the arguments. */
static bool isUnprototyped(const Function &callee) {
    return callee.isVarArg() && callee.arg_empty();
}

/* An integer result must have the width of the prototype. A result of another width shows that the program
 * defines the function itself. */
static bool hasResult(const Type *type, char letter, bool unprototyped) {
    unsigned bits = letter == 'z' ? 64 : 32;
    bool isOther = type->isIntegerTy() && letter != 'v' && !unprototyped && !type->isIntegerTy(bits);
    return fitsLetter(type, letter) && !isOther;
}

/* Parameters may have any integer type: old programs declare sizes as int, and the call has the same meaning
 * (emit/entry_call.h). */
static bool hasPrototype(const FunctionType *type, const char *prototype, bool unprototyped) {
    if (!hasResult(type->getReturnType(), *prototype++, unprototyped))
        return false;
    for (Type *parameter : type->params()) {
        if (*prototype == '.')
            return unprototyped;
        if (*prototype == '\0' || !fitsLetter(parameter, *prototype++))
            return false;
    }
    bool isVariadic = *prototype == '.';
    return (isVariadic || *prototype == '\0') && (isVariadic == type->isVarArg() || unprototyped);
}

static const allocator *findBySymbol(const Function &function) {
    StringRef name = symbolOf(function);
    return allocator_find(name.data(), name.size());
}

bool isOnlyCode(const Function &function) {
    return function.isStrongDefinitionForLinker() && (function.hasLocalLinkage() || function.isDSOLocal());
}

/* Resolves an alias. Returns nullptr if a call through the alias may reach the definition of another
 * module. */
static Function *functionOf(Value *target) {
    auto *alias = dyn_cast_or_null<GlobalAlias>(target);
    auto *function = dyn_cast_or_null<Function>(alias ? alias->getAliasee()->stripPointerCasts() : target);
    bool isOther =
        alias && function && (alias->isInterposable() || (!alias->isDSOLocal() && isOnlyCode(*function)));
    return isOther ? nullptr : function;
}

/* At -O0, loads of constant pointers are not folded yet. */
Function *surelyCalled(const CallBase &call) {
    Value *target = call.getCalledOperand()->stripPointerCasts();
    if (auto *load = dyn_cast<LoadInst>(target)) {
        auto *pointer = dyn_cast<Constant>(load->getPointerOperand());
        const DataLayout &layout = call.getModule()->getDataLayout();
        Constant *value = pointer && !load->isVolatile()
                              ? ConstantFoldLoadFromConstPtr(pointer, load->getType(), layout)
                              : nullptr;
        target = value ? value->stripPointerCasts() : nullptr;
    }
    return functionOf(target);
}

static bool isProgramsOwn(const Function &function, const allocator &namesake) {
    return !function.isDeclaration() && (!namesake.replaceable || !function.hasDefaultVisibility());
}

const allocator *allocatorThatIs(const Function &function, const FunctionType *type) {
    if (function.hasLocalLinkage() || function.isIntrinsic())
        return nullptr;
    const allocator *found = findBySymbol(function);
    if (!found || isProgramsOwn(function, *found) ||
        !hasPrototype(type, found->prototype, isUnprototyped(function)))
        return nullptr;
    return found;
}

const allocator *allocatorCalled(const CallBase &call) {
    const Function *callee = surelyCalled(call);
    return callee ? allocatorThatIs(*callee, call.getFunctionType()) : nullptr;
}

const allocator *allocatorThatIs(const Function &function) {
    return allocatorThatIs(function, function.getFunctionType());
}

bool isAllocator(const Function &function) {
    return allocatorThatIs(function) != nullptr;
}

static bool isCalledOtherwise(const Function &function, const Value &name) {
    return any_of(name.users(), [&](const User *user) {
        auto *call = dyn_cast<CallBase>(user);
        return call ? call->getCalledOperand() == &name && !allocatorThatIs(function, call->getFunctionType())
                    : isa<ConstantExpr>(user) && isCalledOtherwise(function, *user);
    });
}

bool isMisdeclared(const Function &function) {
    const allocator *namesake = function.isDeclaration() ? findBySymbol(function) : nullptr;
    return namesake && namesake->replaceable && isCalledOtherwise(function, function);
}

bool isInstrumented(const Function &function) {
    return !function.isDeclaration() && !function.hasAvailableExternallyLinkage() &&
           !function.hasFnAttribute(Attribute::Naked) && !isAllocator(function);
}

bool isSize(const Type &type) {
    return type.isIntegerTy(32) || type.isIntegerTy(64);
}

static bool hasPointer(const Type &type) {
    return type.isPointerTy() ||
           (type.isStructTy() &&
            any_of(cast<StructType>(type).elements(), [](Type *part) { return part->isPointerTy(); }));
}

bool mayBeHook(const CallBase &call) {
    return hasPointer(*call.getType()) && !call.isInlineAsm() && !call.isMustTailCall() &&
           !surelyCalled(call);
}

bool reportsCustomBlock(const allocator *row) {
    return row && !*row->callee;
}

static constexpr const char *OrdinalMetadata = "allocsite.ordinal";

void setOrdinal(CallBase &call, unsigned ordinal) {
    LLVMContext &context = call.getContext();
    auto *number = ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), ordinal));
    call.setMetadata(OrdinalMetadata, MDNode::get(context, number));
    if (call.getDebugLoc())
        call.setDebugLoc(call.getDebugLoc()->cloneWithDiscriminator(ordinal));
}

/* With -fdebug-info-for-profiling clang uses discriminators itself. */
static unsigned ordinalOf(const DILocation &location) {
    bool isOurs = !location.getScope()->getSubprogram()->getUnit()->getDebugInfoForProfiling();
    return isOurs ? location.getDiscriminator() : 0;
}

unsigned ordinalOf(const CallBase &call) {
    const MDNode *node = call.getMetadata(OrdinalMetadata);
    if (node)
        return mdconst::extract<ConstantInt>(node->getOperand(0))->getZExtValue();
    const DILocation *location = call.getDebugLoc().get();
    return location ? ordinalOf(*location) : 0;
}

static constexpr const char *ApartAttribute = "allocsite-apart";

void preventMerging(CallBase &call) {
    if (call.hasFnAttr(Attribute::NoMerge))
        return; // the program requests nomerge itself
    call.addFnAttr(Attribute::NoMerge);
    call.addFnAttr(Attribute::get(call.getContext(), ApartAttribute));
}

void allowMerging(CallBase &call) {
    if (!call.hasFnAttr(ApartAttribute))
        return;
    LLVMContext &context = call.getContext();
    AttributeList attributes = call.getAttributes().removeFnAttribute(context, ApartAttribute);
    call.setAttributes(attributes.removeFnAttribute(context, Attribute::NoMerge));
}

/* Returns whether a list ignores the source of the call. Calls that report a custom allocator's blocks are
 * never ignored. */
static bool isIgnored(const CallBase &call, const allocator *row) {
    const DILocation *location = call.getDebugLoc().get();
    return location && !reportsCustomBlock(row) && isIgnoredSource(location->getFile());
}

SmallVector<AllocatorCall, 8> findAllocatorCalls(Function &function) {
    SmallVector<AllocatorCall, 8> found;
    for (Instruction &instruction : instructions(function)) {
        auto *call = dyn_cast<CallBase>(&instruction);
        if (!call || (!isa<CallInst>(call) && !isa<InvokeInst>(call)) || call->isMustTailCall())
            continue;
        Function *callee = surelyCalled(*call);
        const allocator *row = callee ? allocatorThatIs(*callee, call->getFunctionType()) : nullptr;
        if (row && !isIgnored(*call, row))
            found.push_back({call, callee, row});
    }
    return found;
}

} // namespace allocsite
