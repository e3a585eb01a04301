/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "find/find.h"

#include <dlfcn.h>

using namespace llvm;

namespace allocsite {

std::string askAST(allocsite_types_find *find, const CallBase &call, StringRef callee, unsigned ordinal,
                   unsigned count, bool held) {
    const DILocation *location = call.getDebugLoc().get();
    const DISubprogram *subprogram = location->getScope()->getSubprogram();
    std::string function = symbolOf(*call.getFunction()).str(), file = subprogram->getFilename().str();
    std::string symbol = callee.str();
    allocsite_types_question question = {};
    question.function = function.c_str();
    question.file = file.c_str();
    question.function_line = subprogram->getLine();
    question.callee = symbol.c_str();
    question.line = location->getLine();
    question.column = location->getColumn();
    question.ordinal = ordinal;
    question.count = count;
    question.held = held;
    const char *answer = find ? find(&question) : nullptr;
    return answer ? answer : "";
}

bool makesElement(const CallBase &call) {
    static auto *find =
        reinterpret_cast<allocsite_types_find *>(dlsym(RTLD_DEFAULT, ALLOCSITE_TYPES_ELEMENT));
    const Function *callee = call.getCalledFunction();
    const DILocation *location = call.getDebugLoc().get();
    bool isNew = callee && location && callee->getName().find("_Znw") == 0;
    return find && isNew && call.getFunction()->getName().contains('I') && isAllocator(*callee) &&
           !askAST(find, call, symbolOf(*callee), 0, 0, false).empty();
}

/* Of C: C++ calls many virtual functions so, and hardly hands out others. An answer costs a walk through the
 * function's tree. */
static bool isAskedAbout(const CallBase &call) {
    const DILocation *location = call.getDebugLoc().get();
    return location && location->getLine() && call.getFunction()->getName().find("_Z") != 0;
}

static bool isPointer(const Use &argument) {
    return argument->getType()->isPointerTy();
}

/* Few pointers take no number, and return one: of the others nobody asks. */
static bool mayCopyText(const CallBase &call) {
    return isAskedAbout(call) && call.getType()->isPointerTy() && !call.arg_empty() && call.arg_size() <= 2 &&
           mayBeHook(call) && all_of(call.args(), isPointer);
}

bool copiesTextByPointer(const CallBase &call) {
    static auto *copied =
        reinterpret_cast<allocsite_types_find *>(dlsym(RTLD_DEFAULT, ALLOCSITE_TYPES_COPIED));
    return copied && mayCopyText(call) && !askAST(copied, call, "", 0, 0, false).empty();
}

bool growsByPointer(const CallBase &call) {
    static auto *find = reinterpret_cast<allocsite_types_find *>(dlsym(RTLD_DEFAULT, ALLOCSITE_TYPES_FIND));
    return find && isAskedAbout(call) && call.isIndirectCall() && !call.isMustTailCall() &&
           call.arg_size() > 1 && any_of(call.args(), isPointer) && !surelyCalled(call) &&
           !askAST(find, call, "", 0, 0, true).empty();
}

} // namespace allocsite
