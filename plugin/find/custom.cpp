/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The instrumentation of custom allocators. */
#include "base/compat.h"
#include "find/find.h"
#include "find/lists.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/EscapeEnumerator.h>

using namespace llvm;

namespace allocsite {

/* A custom allocator whose definition is being instrumented. Its arguments are needed where it returns; in
 * this form of the IR nothing changes them. */
struct Custom {
    Function &function;
    const listed_function &what;
    IRBuilder<> entry; // before the first thing that it does
};

/* Of its own, so that whatever it hands out in whichever way is one site. */
static DebugLoc locationOf(const Function &function) {
    DISubprogram *subprogram = function.getSubprogram();
    return subprogram ? DebugLoc(DILocation::get(function.getContext(), subprogram->getLine(), 0, subprogram))
                      : DebugLoc();
}

static BasicBlock::iterator behindAllocas(BasicBlock &block) {
    BasicBlock::iterator at = block.getFirstInsertionPt();
    while (isa<AllocaInst>(*at))
        ++at;
    return at;
}

/* As 64 bits: sizes, arenas and marks, which are unsigned. */
static Value *asNumber(IRBuilder<> &builder, Value *value) {
    return value->getType()->isPointerTy() ? builder.CreatePtrToInt(value, builder.getInt64Ty())
                                           : builder.CreateZExtOrTrunc(value, builder.getInt64Ty());
}

static Value *asPointer(IRBuilder<> &builder, Value *value) {
    return builder.CreatePointerCast(value, pointerType(builder.getContext()));
}

/* Arguments are numbered from 1; no argument: 0. */
static Value *number(Custom &custom, unsigned which) {
    return which ? asNumber(custom.entry, custom.function.getArg(which - 1)) : custom.entry.getInt64(0);
}

static Value *size(Custom &custom) {
    Value *size =
        custom.what.size ? number(custom, custom.what.size) : custom.entry.getInt64(custom.what.bytes);
    return custom.what.count ? custom.entry.CreateMul(size, number(custom, custom.what.count)) : size;
}

static Value *pointer(Custom &custom) {
    return asPointer(custom.entry, custom.function.getArg(custom.what.pointer - 1));
}

static CallInst *callRuntime(IRBuilder<> &builder, const Twine &name, Type *result,
                             ArrayRef<Value *> values) {
    SmallVector<Type *, 4> types;
    for (Value *value : values)
        types.push_back(value->getType());
    Module &module = *builder.GetInsertBlock()->getModule();
    FunctionCallee callee = module.getOrInsertFunction(name.str(), FunctionType::get(result, types, false));
    CallInst *call = builder.CreateCall(callee, values);
    call->setDoesNotThrow();
    return call;
}

/* An entry that is in the place of no allocator. */
static CallInst *callEntry(IRBuilder<> &builder, const char *name, Type *result, ArrayRef<Value *> values) {
    return callRuntime(builder, Twine(ALLOCSITE_ENTRY_PREFIX) + name, result, values);
}

/* One that gets a site. */
static void callAllocator(IRBuilder<> &builder, const char *name, ArrayRef<Value *> values) {
    callRuntime(builder, name, builder.getVoidTy(), values);
}

static Value *enter(Custom &custom) {
    return callEntry(custom.entry, "custom_enter", custom.entry.getInt64Ty(), {});
}

using AtReturn = function_ref<void(IRBuilder<> &, ReturnInst &)>;
using AtUnwind = function_ref<void(IRBuilder<> &)>;

/* Nothing can follow a musttail call, so nothing could tell what it returned: it becomes one as any other.
 * Not of variable arguments, which no other call hands on. */
static void returnFromTailCalls(Function &function) {
    for (Instruction &instruction : instructions(function))
        if (auto *call = dyn_cast<CallInst>(&instruction);
            call && call->isMustTailCall() && !function.isVarArg())
            call->setTailCallKind(CallInst::TCK_None);
}

static void atEveryExit(Custom &custom, AtReturn atReturn, AtUnwind atUnwind) {
    returnFromTailCalls(custom.function);
    EscapeEnumerator exits(custom.function, "allocsite.unwind");
    while (IRBuilder<> *exit = exits.Next()) {
        exit->SetCurrentDebugLocation(locationOf(custom.function));
        auto *end = dyn_cast<ReturnInst>(&*exit->GetInsertPoint());
        if (end)
            atReturn(*exit, *end);
        else
            atUnwind(*exit);
    }
}

static void leaveEverywhere(Custom &custom, Value *around) {
    auto leave = [&](IRBuilder<> &exit) { callEntry(exit, "custom_leave", exit.getVoidTy(), {around}); };
    atEveryExit(
        custom, [&](IRBuilder<> &exit, ReturnInst &) { leave(exit); }, leave);
}

/* One that throws has failed. */
static void instrumentAlloc(Custom &custom) {
    Value *around = enter(custom), *bytes = size(custom), *arena = number(custom, custom.what.arena);
    auto tell = [&](IRBuilder<> &exit, Value *block) {
        callAllocator(exit, "allocsite_custom_alloc", {block, bytes, around, arena});
    };
    atEveryExit(
        custom,
        [&](IRBuilder<> &exit, ReturnInst &end) { tell(exit, asPointer(exit, end.getReturnValue())); },
        [&](IRBuilder<> &exit) { tell(exit, ConstantPointerNull::get(pointerType(exit.getContext()))); });
}

/* No block for no bytes would be a free. */
static void instrumentRealloc(Custom &custom) {
    Type *type = ArrayType::get(custom.entry.getInt64Ty(), ALLOCSITE_TOKEN_WORDS);
    IRBuilder<> top(&custom.function.getEntryBlock(), custom.function.getEntryBlock().begin());
    Value *token = asPointer(custom.entry, top.CreateAlloca(type));
    Value *old = pointer(custom), *bytes = size(custom), *arena = number(custom, custom.what.arena);
    callEntry(custom.entry, "custom_realloc_enter", custom.entry.getVoidTy(), {token, old});
    auto tell = [&](IRBuilder<> &exit, Value *block, Value *size) {
        callAllocator(exit, "allocsite_custom_realloc", {block, size, token, arena});
    };
    atEveryExit(
        custom,
        [&](IRBuilder<> &exit, ReturnInst &end) { tell(exit, asPointer(exit, end.getReturnValue()), bytes); },
        [&](IRBuilder<> &exit) {
            tell(exit, ConstantPointerNull::get(pointerType(exit.getContext())), exit.getInt64(1));
        });
}

/* Before the memory can become another's. */
static void instrumentFree(Custom &custom) {
    Value *around = enter(custom);
    callAllocator(custom.entry, "allocsite_custom_free", {pointer(custom)});
    leaveEverywhere(custom, around);
}

static void instrumentRelease(Custom &custom) {
    Value *around = enter(custom), *arena = number(custom, custom.what.arena);
    if (custom.what.pointer)
        callAllocator(custom.entry, "allocsite_custom_release", {arena, number(custom, custom.what.pointer)});
    else
        callAllocator(custom.entry, "allocsite_custom_release_all", {arena});
    leaveEverywhere(custom, around);
}

static void instrumentMark(Custom &custom) {
    Value *arena = number(custom, custom.what.arena), *given = number(custom, custom.what.pointer);
    atEveryExit(
        custom,
        [&](IRBuilder<> &exit, ReturnInst &end) {
            Value *mark = custom.what.pointer ? given : asNumber(exit, end.getReturnValue());
            callEntry(exit, "custom_mark", exit.getVoidTy(), {arena, mark});
        },
        [](IRBuilder<> &) {});
}

static void instrumentBacking(Custom &custom) {
    leaveEverywhere(custom, enter(custom));
}

static void (*instrumentFor(listed_kind kind))(Custom &) {
    switch (kind) {
    case LISTED_ALLOC:
        return instrumentAlloc;
    case LISTED_REALLOC:
        return instrumentRealloc;
    case LISTED_FREE:
        return instrumentFree;
    case LISTED_MARK:
        return instrumentMark;
    case LISTED_RELEASE:
        return instrumentRelease;
    case LISTED_BACKING:
        return instrumentBacking;
    default:
        return nullptr;
    }
}

static bool isNumber(const Type *type) {
    return type->isPointerTy() || (type->isIntegerTy() && type->getIntegerBitWidth() <= 64);
}

/* Why what is said of the function does not fit it; empty: it does. */
static std::string misfit(const Function &function, const listed_function &what) {
    bool marks = what.kind == LISTED_MARK || what.kind == LISTED_RELEASE;
    bool allocates = what.kind == LISTED_ALLOC || what.kind == LISTED_REALLOC;
    const Type *result = function.getReturnType();
    const struct {
        unsigned number;
        const char *name;
        bool isPointer, isNumber;
    } arguments[] = {{what.size, "size", false, true},
                     {what.count, "count", false, true},
                     {what.align, "align", false, true},
                     {what.pointer, "pointer", true, marks},
                     {what.arena, "arena", true, true}};
    for (const auto &argument : arguments) {
        if (!argument.number)
            continue;
        if (argument.number > function.arg_size())
            return (Twine("it has no argument ") + Twine(argument.number) + " for " + argument.name).str();
        const Type *type = function.getArg(argument.number - 1)->getType();
        bool fits = type->isPointerTy() ? argument.isPointer : argument.isNumber && isNumber(type);
        if (!fits)
            return (Twine("its argument ") + Twine(argument.number) + " cannot be " + argument.name).str();
    }
    if (allocates && !result->isPointerTy())
        return "it returns no pointer";
    return what.kind == LISTED_MARK && !what.pointer && !isNumber(result) ? "it returns no mark" : "";
}

/* Whether what is said of the function tells of blocks, and fits it. */
static bool isCustom(const Function &function, const Description &said) {
    if (!instrumentFor(said.function.kind))
        return false;
    std::string wrong = misfit(function, said.function);
    if (!wrong.empty() && !said.isGuess)
        complain(function.getContext(), said.file, said.line, function.getName() + ": " + wrong);
    return wrong.empty();
}

static void instrument(Function &function, const Description &said) {
    Custom custom = {function, said.function, IRBuilder<>(function.getContext())};
    custom.entry.SetInsertPoint(&function.getEntryBlock(), behindAllocas(function.getEntryBlock()));
    custom.entry.SetCurrentDebugLocation(locationOf(function));
    instrumentFor(said.function.kind)(custom);
}

/* No other function can hand on variable arguments. A pattern does not mean the C library's own. */
static bool isElsewhere(const Function &function, const Description &said) {
    bool isOther = function.isDeclaration() || function.hasAvailableExternallyLinkage();
    bool isMeant = !said.isGuess || !isOfLanguage(function);
    return isOther && isMeant && !function.isIntrinsic() && !function.isVarArg() && !function.use_empty() &&
           !isAllocator(function);
}

void instrumentCustom(Module &module, const Lists &lists) {
    SmallVector<std::pair<Function *, Description>, 8> elsewhere;
    for (Function &function : module) {
        std::optional<Description> said = lists.of(function);
        bool isDefined = isInstrumented(function);
        if (!said || !(isDefined || isElsewhere(function, *said)) || !isCustom(function, *said))
            continue;
        if (isDefined) {
            instrument(function, *said);
            markInstrumented(function);
        } else {
            elsewhere.push_back({&function, *said});
        }
    }
    for (const auto &[function, said] : elsewhere) {
        Function &inner = replaceListed(*function);
        instrument(inner, said);
        nameListed(inner, *function);
    }
}

} // namespace allocsite
