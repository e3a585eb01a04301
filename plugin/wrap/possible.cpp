/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "wrap/possible.h"

#include "base/allocators.h"
#include "base/compat.h"
#include "base/names.h"
#include "find/find.h"

using namespace llvm;

namespace allocsite {

/* Where pointers still have types: text and raw memory. */
static bool mayBeText(const Type &type) {
#if LLVM_VERSION_MAJOR >= 17
    return false;
#else
    auto *pointer = dyn_cast<PointerType>(&type);
    return pointer && !pointer->isOpaque() && pointer->getPointerElementType()->isIntegerTy(8);
#endif
}

/* The parameters that can say how large a block is: numbers as wide as a size where there are some, or else
 * all numbers, and texts. */
static ParameterSet sizesOf(const Function &function) {
    ParameterSet wide = 0, numbers = 0, texts = 0;
    for (const Argument &argument : function.args()) {
        const Type &type = *argument.getType();
        ParameterSet bit = parameterSet(argument.getArgNo() + 1);
        wide |= type.isIntegerTy(64) ? bit : 0;
        numbers |= isSize(type) ? bit : 0;
        texts |= mayBeText(type) ? bit : 0;
    }
    return (wide ? wide : numbers) | texts;
}

/* Of the implementation. */
static bool isSupport(const Function &function) {
    StringRef name = symbolOf(function);
    return name.find("__cxa_") == 0 || name.find("_Unwind_") == 0 || allocator_find(name.data(), name.size());
}

static bool mayAllocate(const Function &function) {
    return function.isDeclaration() && !function.isIntrinsic() && function.hasExternalLinkage() &&
           !function.doesNotAccessMemory() && !function.onlyReadsMemory() &&
           !function.hasFnAttribute(Attribute::ReturnsTwice) && !function.doesNotReturn() &&
           !isSupport(function) && !isOfLibrary(function);
}

std::optional<FoundWrapper> possibleWrapper(const Function &function) {
    FoundWrapper result;
    result.wrapper.isMaybe = true;
    result.sizes = sizesOf(function);
    bool returnsBlock = function.getReturnType()->isPointerTy() || function.getReturnType()->isStructTy();
    if (!mayAllocate(function) || !returnsBlock || !result.sizes)
        return std::nullopt;
    return result;
}

} // namespace allocsite
