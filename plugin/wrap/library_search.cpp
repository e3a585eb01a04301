/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "wrap/library_search.h"

#include "base/library.h"
#include "find/find.h"
#include "site/site.h"

#include <cstring>
#include <llvm/IR/InstIterator.h>
#include <map>

using namespace llvm;

namespace allocsite {

static constexpr const char *TypeAttribute = "allocsite-library-type";

static bool isLibrary(const Function &function) {
    StringRef name = function.getName();
    name.consume_front("\1");
    return library_has(name.str().c_str());
}

/* Of std::terminate clang leaves out what its header says. */
static bool mayAllocateElsewhere(const Function &function) {
    if (function.getName() == "_ZSt9terminatev")
        return false;
    return function.isDeclaration() && !function.isIntrinsic() && !function.doesNotThrow() &&
           !function.doesNotReturn() && isLibrary(function);
}

static bool allocates(const Function &function, const FoundWrappers &found) {
    auto known = found.find(const_cast<Function *>(&function));
    if (known != found.end())
        return known->second.wrapper.kind != ALLOCSITE_FREE;
    const allocator *what = allocatorThatIs(function);
    return what ? what->kind != ALLOCSITE_FREE : mayAllocateElsewhere(function);
}

/* Where the library calls what allocates for it by a pointer: memory resources, and to copy what a
 * std::function holds. */
static bool allocatesByPointer(const Function &function) {
    StringRef name = function.getName();
    return isLibrary(function) && (name.find("3pmr15memory_resource8allocateEmm") != StringRef::npos ||
                                   name.find("_ZNSt8functionI") == 0);
}

static bool markPointers(Function &function) {
    bool isMarked = false;
    for (Instruction &instruction : instructions(function)) {
        auto *call = dyn_cast<CallBase>(&instruction);
        if (!call || !call->isIndirectCall())
            continue;
        setAllocatesByPointer(*call);
        isMarked = true;
    }
    return isMarked;
}

static void add(Function &function, FoundWrappers &found) {
    found[&function].wrapper.isLibrary = true;
}

void searchLibrary(Module &module, const SmallPtrSetImpl<const Function *> &ignored, FoundWrappers &found) {
    SmallVector<Function *, 32> next;
    for (Function &function : module)
        if (allocates(function, found) || (allocatesByPointer(function) && markPointers(function)))
            next.push_back(&function);
    SmallPtrSet<Function *, 32> seen(next.begin(), next.end());
    while (!next.empty()) {
        Function *function = next.pop_back_val();
        if (isLibrary(*function) && !ignored.count(function) && !isAllocator(*function))
            add(*function, found);
        for (const Use &use : function->uses()) {
            auto *call = dyn_cast<CallBase>(use.getUser());
            Function *caller = call && call->isCallee(&use) ? call->getFunction() : nullptr;
            if (caller && isLibrary(*caller) && !ignored.count(caller) && seen.insert(caller).second)
                next.push_back(caller);
        }
    }
}

/* Of what is only declared: the members of std::string allocate characters. */
static std::string typeElsewhere(const Function &function) {
    static constexpr size_t LastOfPrefix = strlen("_ZNKSt7__cxx11");
    return function.getName().find("12basic_stringIc") <= LastOfPrefix ? "char" : "";
}

/* What the functions that have been looked at allocate; those that are being looked at, so far nothing. */
using Types = std::map<const Function *, std::string>;

static std::string typeWithin(Function &function, Names &names, Types &types) {
    auto [position, isNew] = types.try_emplace(&function, typeElsewhere(function));
    if (!isNew || !position->second.empty() || function.isDeclaration())
        return position->second;
    std::string all;
    for (const AllocatorCall &call : findAllocatorCalls(function)) {
        bool isInner = isLibraryCall(call) && call.callee;
        if (call.what && call.what->kind == ALLOCSITE_FREE)
            continue;
        all = eitherType(all, isInner ? typeWithin(*call.callee, names, types) : typeOf(call, names));
    }
    return types[&function] = all;
}

void noteLibraryTypes(Module &module, Names &names) {
    Types types;
    for (Function &function : module) {
        std::optional<Wrapper> wrapper = Wrappers::of(function);
        if (!wrapper || !wrapper->isLibrary)
            continue;
        std::string type = typeWithin(function, names, types);
        if (!type.empty())
            function.addFnAttr(TypeAttribute, type);
    }
}

std::string libraryTypeOf(const Function &function) {
    return function.getFnAttribute(TypeAttribute).getValueAsString().str();
}

void eraseLibraryTypes(Module &module) {
    for (Function &function : module)
        function.removeFnAttr(TypeAttribute);
}

} // namespace allocsite
