/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Instruments custom allocators, as lists and attributes describe them. */
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

/* A custom allocator under instrumentation. Uses the function's arguments at its returns; unoptimized IR does
 * not change them in between. */
struct Custom {
    Function &function;
    const listed_function &listed;
    IRBuilder<> entry; // inserts at the function's entry, after the allocas
};

/* Returns a location for the whole function, so that all blocks that it allocates belong to one site. */
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

/* Converts sizes, arenas and marks to unsigned 64-bit numbers. */
static Value *asNumber(IRBuilder<> &builder, Value *value) {
    return value->getType()->isPointerTy() ? builder.CreatePtrToInt(value, builder.getInt64Ty())
                                           : builder.CreateZExtOrTrunc(value, builder.getInt64Ty());
}

static Value *asPointer(IRBuilder<> &builder, Value *value) {
    return builder.CreatePointerCast(value, pointerType(builder.getContext()));
}

/* Returns the argument with that number, counted from 1, or 0 if `number` is 0. */
static Value *argumentOrZero(Custom &custom, unsigned number) {
    return number ? asNumber(custom.entry, custom.function.getArg(number - 1)) : custom.entry.getInt64(0);
}

static Value *blockSize(Custom &custom) {
    Value *size = custom.listed.size ? argumentOrZero(custom, custom.listed.size)
                                     : custom.entry.getInt64(custom.listed.bytes);
    return custom.listed.count ? custom.entry.CreateMul(size, argumentOrZero(custom, custom.listed.count))
                               : size;
}

static Value *pointerArgument(Custom &custom) {
    return asPointer(custom.entry, custom.function.getArg(custom.listed.pointer - 1));
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

/* Calls an entry point that has no site. */
static CallInst *callEntry(IRBuilder<> &builder, const char *name, Type *result, ArrayRef<Value *> values) {
    return callRuntime(builder, Twine(ALLOCSITE_ENTRY_PREFIX) + name, result, values);
}

/* Calls an entry point that gets a site in the second stage. */
static void callAllocator(IRBuilder<> &builder, const char *name, ArrayRef<Value *> values) {
    callRuntime(builder, name, builder.getVoidTy(), values);
}

static Value *enterCustom(Custom &custom) {
    return callEntry(custom.entry, "custom_enter", custom.entry.getInt64Ty(), {});
}

using AtReturn = function_ref<void(IRBuilder<> &, ReturnInst &)>;
using AtUnwind = function_ref<void(IRBuilder<> &)>;

/* Turns musttail calls into ordinary ones, because no code can follow a musttail call and report its result.
 * A variadic function keeps its musttail calls, because only these can forward variable arguments. */
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

static void leaveEverywhere(Custom &custom, Value *outerDepth) {
    auto leave = [&](IRBuilder<> &exit) { callEntry(exit, "custom_leave", exit.getVoidTy(), {outerDepth}); };
    atEveryExit(
        custom, [&](IRBuilder<> &exit, ReturnInst &) { leave(exit); }, leave);
}

/* An allocator that throws has failed. */
static void instrumentAlloc(Custom &custom) {
    Value *outerDepth = enterCustom(custom), *bytes = blockSize(custom),
          *arena = argumentOrZero(custom, custom.listed.arena);
    auto report = [&](IRBuilder<> &exit, Value *block) {
        callAllocator(exit, "allocsite_custom_alloc", {block, bytes, outerDepth, arena});
    };
    atEveryExit(
        custom,
        [&](IRBuilder<> &exit, ReturnInst &end) { report(exit, asPointer(exit, end.getReturnValue())); },
        [&](IRBuilder<> &exit) { report(exit, ConstantPointerNull::get(pointerType(exit.getContext()))); });
}

/* On an exception it reports failure with size 1, because NULL for size 0 would mean that the block was
 * freed. */
static void instrumentRealloc(Custom &custom) {
    Type *type = ArrayType::get(custom.entry.getInt64Ty(), ALLOCSITE_TOKEN_WORDS);
    IRBuilder<> top(&custom.function.getEntryBlock(), custom.function.getEntryBlock().begin());
    Value *token = asPointer(custom.entry, top.CreateAlloca(type));
    Value *old = pointerArgument(custom), *bytes = blockSize(custom),
          *arena = argumentOrZero(custom, custom.listed.arena);
    callEntry(custom.entry, "custom_realloc_enter", custom.entry.getVoidTy(), {token, old});
    auto report = [&](IRBuilder<> &exit, Value *block, Value *size) {
        callAllocator(exit, "allocsite_custom_realloc", {block, size, token, arena});
    };
    atEveryExit(
        custom,
        [&](IRBuilder<> &exit, ReturnInst &end) {
            report(exit, asPointer(exit, end.getReturnValue()), bytes);
        },
        [&](IRBuilder<> &exit) {
            report(exit, ConstantPointerNull::get(pointerType(exit.getContext())), exit.getInt64(1));
        });
}

/* Reports the free at entry, before the memory can be reused by another thread. */
static void instrumentFree(Custom &custom) {
    Value *outerDepth = enterCustom(custom);
    callAllocator(custom.entry, "allocsite_custom_free", {pointerArgument(custom)});
    leaveEverywhere(custom, outerDepth);
}

static void instrumentRelease(Custom &custom) {
    Value *outerDepth = enterCustom(custom), *arena = argumentOrZero(custom, custom.listed.arena);
    if (custom.listed.pointer)
        callAllocator(custom.entry, "allocsite_custom_release",
                      {arena, argumentOrZero(custom, custom.listed.pointer)});
    else
        callAllocator(custom.entry, "allocsite_custom_release_all", {arena});
    leaveEverywhere(custom, outerDepth);
}

static void instrumentMark(Custom &custom) {
    Value *arena = argumentOrZero(custom, custom.listed.arena),
          *given = argumentOrZero(custom, custom.listed.pointer);
    atEveryExit(
        custom,
        [&](IRBuilder<> &exit, ReturnInst &end) {
            Value *mark = custom.listed.pointer ? given : asNumber(exit, end.getReturnValue());
            callEntry(exit, "custom_mark", exit.getVoidTy(), {arena, mark});
        },
        [](IRBuilder<> &) {});
}

static void instrumentChunk(Custom &custom) {
    leaveEverywhere(custom, enterCustom(custom));
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
    case LISTED_CHUNK:
        return instrumentChunk;
    default:
        return nullptr;
    }
}

static bool isNumber(const Type *type) {
    return type->isPointerTy() || (type->isIntegerTy() && type->getIntegerBitWidth() <= 64);
}

/* Returns why the description does not fit the function's type; empty if it fits. */
static std::string misfitOf(const Function &function, const listed_function &listed) {
    bool marks = listed.kind == LISTED_MARK || listed.kind == LISTED_RELEASE;
    bool allocates = listed.kind == LISTED_ALLOC || listed.kind == LISTED_REALLOC;
    const Type *result = function.getReturnType();
    const struct {
        unsigned number;
        const char *name;
        bool isPointer, isNumber;
    } arguments[] = {{listed.size, "size", false, true},
                     {listed.count, "count", false, true},
                     {listed.align, "align", false, true},
                     {listed.pointer, "pointer", true, marks},
                     {listed.arena, "arena", true, true}};
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
    return listed.kind == LISTED_MARK && !listed.pointer && !isNumber(result) ? "it returns no mark" : "";
}

/* Returns whether the description is that of a custom allocator and fits the function. Reports an error if it
 * does not fit, unless its name is a pattern. */
static bool isCustom(const Function &function, const Description &description) {
    if (!instrumentFor(description.function.kind))
        return false;
    std::string wrong = misfitOf(function, description.function);
    if (!wrong.empty() && !description.isPattern)
        reportError(function.getContext(), description.file, description.line,
                    function.getName() + ": " + wrong);
    return wrong.empty();
}

static void instrumentFunction(Function &function, const Description &description) {
    Custom custom = {function, description.function, IRBuilder<>(function.getContext())};
    custom.entry.SetInsertPoint(&function.getEntryBlock(), behindAllocas(function.getEntryBlock()));
    custom.entry.SetCurrentDebugLocation(locationOf(function));
    instrumentFor(description.function.kind)(custom);
}

/* Returns whether to instrument calls of a function that is defined elsewhere. Variadic functions are
 * excluded because no wrapper can forward their arguments. Patterns do not apply to the C library. */
static bool isElsewhere(const Function &function, const Description &description) {
    bool isOther = function.isDeclaration() || function.hasAvailableExternallyLinkage();
    bool isMeant = !description.isPattern || !isOfLanguage(function);
    return isOther && isMeant && !function.isIntrinsic() && !function.isVarArg() && !function.use_empty() &&
           !isAllocator(function);
}

void instrumentCustom(Module &module, const Lists &lists) {
    SmallVector<std::pair<Function *, Description>, 8> elsewhere;
    for (Function &function : module) {
        std::optional<Description> description = lists.of(function);
        bool isDefined = isInstrumented(function);
        if (!description || !(isDefined || isElsewhere(function, *description)) ||
            !isCustom(function, *description))
            continue;
        if (isDefined) {
            instrumentFunction(function, *description);
            markInstrumented(function);
        } else {
            elsewhere.push_back({&function, *description});
        }
    }
    for (const auto &[function, description] : elsewhere) {
        Function &inner = replaceListed(*function);
        instrumentFunction(inner, description);
        nameListed(inner, *function);
    }
}

} // namespace allocsite
