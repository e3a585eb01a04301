/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/allocators.h"
#include "base/names.h"
#include "base/settings.h"
#include "find/find.h"
#include "types/types.h"
#include "wrap/bodies.h"

#include <dlfcn.h>

using namespace llvm;

namespace allocsite {

/* Numbers as wide as a size. */
static ParameterSet widthsOf(const Function &function) {
    ParameterSet wide = 0;
    for (const Argument &argument : function.args())
        wide |= argument.getType()->isIntegerTy(64) ? parameterSet(argument.getArgNo() + 1) : 0;
    return wide;
}

/* Of the implementation. */
static bool isSupport(const Function &function) {
    StringRef name = symbolOf(function);
    return name.find("__cxa_") == 0 || name.find("_Unwind_") == 0 || allocator_find(name.data(), name.size());
}

/* Without twins nothing tells a file that it is a wrapper: the site that its own caller was left may pass. */
static bool mayAllocate(const Function &function) {
    return options().twins && couldAllocate(function) && function.hasExternalLinkage() &&
           !isSupport(function) && !isOfLibrary(function);
}

/* What the program's source declares. */
static std::optional<FoundWrapper> declaredWrapper(const Function &function,
                                                   const allocsite_types_declaration &declared) {
    unsigned first = function.hasStructRetAttr(); // ahead of what the source has
    FoundWrapper result;
    result.wrapper.isPossible = true;
    result.sizes = declared.sizes << first;
    result.out = declared.out;
    if (declared.freed) {
        result.wrapper.kind = ALLOCSITE_FREE;
        result.wrapper.pointer = declared.freed;
    }
    result.written = declared.written << first;
    result.holder = declared.grows ? declared.grows + first : 0;
    result.wrapper.isHeld = declared.held;
    bool isMaker = declared.makes && options().lift == LIFT_MAKERS;
    bool isOne = (declared.sizes || declared.freed || declared.grows || isMaker) &&
                 declared.values + first == function.arg_size();
    return isOne ? std::optional<FoundWrapper>(result) : std::nullopt;
}

/* Where nobody sees the source. */
static std::optional<FoundWrapper> wrapperByType(const Function &function) {
    FoundWrapper result;
    result.wrapper.isPossible = true;
    result.sizes = widthsOf(function);
    if (!function.getReturnType()->isPointerTy() || !result.sizes)
        return std::nullopt;
    return result;
}

std::optional<FoundWrapper> possibleWrapper(const Function &function) {
    static auto *declared =
        reinterpret_cast<allocsite_types_declared *>(dlsym(RTLD_DEFAULT, ALLOCSITE_TYPES_DECLARED));
    if (!mayAllocate(function))
        return std::nullopt;
    if (!declared)
        return wrapperByType(function);
    allocsite_types_declaration declaration;
    if (!declared(symbolOf(function).str().c_str(), &declaration))
        return std::nullopt;
    return declaredWrapper(function, declaration);
}

/* Nothing: nobody sees the source, or it has none of that function. */
static std::optional<allocsite_types_declaration> definitionOf(const Function &function) {
    static auto *defined =
        reinterpret_cast<allocsite_types_defined *>(dlsym(RTLD_DEFAULT, ALLOCSITE_TYPES_DEFINED));
    const DISubprogram *subprogram = function.getSubprogram();
    if (!defined || !subprogram)
        return std::nullopt;
    std::string symbol = symbolOf(function).str(), file = subprogram->getFilename().str();
    allocsite_types_question question = {};
    question.function = symbol.c_str();
    question.file = file.c_str();
    question.function_line = subprogram->getLine();
    allocsite_types_declaration declaration;
    return defined(&question, &declaration) ? std::optional(declaration) : std::nullopt;
}

bool isToldByDeclaration(const Function &function) {
    auto definition = definitionOf(function);
    return !definition || declaredWrapper(function, *definition);
}

/* Whether a parameter is among those that the source tells of. */
static bool isAmong(const Argument &argument, unsigned long allocsite_types_declaration::*told) {
    const Function &function = *argument.getParent();
    unsigned first = function.hasStructRetAttr();
    auto definition = definitionOf(function);
    bool isKnown = definition && definition->values + first == function.arg_size();
    return isKnown && ((*definition).*told << first & parameterSet(argument.getArgNo() + 1));
}

bool isBuffer(const Argument &argument) {
    return isAmong(argument, &allocsite_types_declaration::buffers);
}

bool isElement(const Argument &argument) {
    return isAmong(argument, &allocsite_types_declaration::elements);
}

bool isContainer(const Argument &argument) {
    auto definition = argument.getArgNo() == argument.getParent()->hasStructRetAttr()
                          ? definitionOf(*argument.getParent())
                          : std::nullopt;
    return definition && definition->container;
}

bool isPlaceOfBlock(const Argument &argument) {
    return isAmong(argument, &allocsite_types_declaration::places);
}

/* What a pointer surely points into; nullptr: not known. */
static const Value *variableAt(const Value *pointer) {
    const Value *object = pointer->stripInBoundsOffsets();
    return isa<AllocaInst>(object) || isa<GlobalVariable>(object) ? object : nullptr;
}

static bool isInside(const Value *pointer, const DataLayout &layout) {
    APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
    pointer->stripAndAccumulateConstantOffsets(layout, offset, true);
    return variableAt(pointer) || !offset.isZero();
}

template <class Visit> static void eachCall(const Function &function, Visit visit) {
    for (const Use &use : function.uses())
        if (auto *call = dyn_cast<CallBase>(use.getUser()); call && call->isCallee(&use))
            visit(*const_cast<CallBase *>(call));
}

static bool isNoFree(const Function &function, unsigned freed) {
    bool isNone = false;
    eachCall(function, [&](const CallBase &call) {
        isNone |= freed <= call.arg_size() && call.getArgOperand(freed - 1)->getType()->isPointerTy() &&
                  isInside(call.getArgOperand(freed - 1), function.getParent()->getDataLayout());
    });
    return isNone;
}

/* A text of the program's own is no variable. */
static bool isVariable(const Value *pointer) {
    auto *variable = dyn_cast_or_null<GlobalVariable>(variableAt(pointer));
    return variable ? !variable->isConstant() : variableAt(pointer) != nullptr;
}

/* Where one call has a variable written to, the others write as well, unless they leave that open. */
static void disproveWriting(const Function &function, unsigned written) {
    bool isWritten = false;
    eachCall(function, [&](const CallBase &call) {
        isWritten |= written < call.arg_size() && isVariable(call.getArgOperand(written));
    });
    if (!isWritten)
        return;
    eachCall(function, [&](CallBase &call) {
        if (written < call.arg_size() && !isa<ConstantPointerNull>(call.getArgOperand(written)))
            setDisproved(call);
    });
}

void dropDisproved(FoundWrappers &found) {
    for (auto &entry : found)
        for (ParameterSet written = entry.second.written; written; written &= written - 1)
            disproveWriting(*entry.first, firstOf(written) - 1);
    found.remove_if([](auto &entry) {
        const Wrapper &wrapper = entry.second.wrapper;
        return wrapper.isPossible && wrapper.kind == ALLOCSITE_FREE &&
               isNoFree(*entry.first, wrapper.pointer);
    });
}

} // namespace allocsite
