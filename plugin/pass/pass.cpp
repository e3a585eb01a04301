/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/pass.h"

#include "format.h"

#include <llvm/IR/Attributes.h>
#include <llvm/IR/GlobalAlias.h>
#include <set>

using namespace llvm;

namespace allocsite {

using Functions = SmallSetVector<const Function *, 16>;

namespace {

struct ModuleFlags {
    const Lists &lists;
    const Reaching &reaching;
    Names &names;
    HandedOut &bodies;
    std::set<const Function *> passing = {}; // according to their bodies
};

/* The answer to whether a function passes through. IfElsewhere: its definition is in another module, so the
 * reader decides. */
enum class Answer { No, Yes, IfElsewhere };

} // namespace

/* Returns whether the function is the one that the module calls instead of a listed function
 * (find/listed_calls.cpp). */
static bool isStandIn(const Function &function) {
    return function.getName().find(ListedPrefix) == 0;
}

static bool hasAttribute(const Function &function) {
    bool isFresh = function.returnDoesNotAlias() || function.hasFnAttribute(Attribute::AllocSize);
    return isFresh && function.getReturnType()->isPointerTy() && !function.isIntrinsic() &&
           !isAllocator(function) && !isOfLanguage(function);
}

/* Returns whether the function is a malloc or an operator new of the program's own. */
static bool isOwnAllocator(const Function &function) {
    const allocator *row = function.isDeclaration() ? nullptr : allocatorThatIs(function);
    return row && row->kind != ALLOCSITE_FREE;
}

/* Returns whether an attribute or a list declares that the function passes through, or nothing if neither
 * mentions it. False: it is declared not to. */
static std::optional<bool> isDeclared(const ModuleFlags &module, const Function &function) {
    std::optional<Description> said = isStandIn(function) ? std::nullopt : module.lists.of(function);
    if (said)
        return said->function.kind != LISTED_IGNORE && said->function.kind != LISTED_MARK &&
               said->function.kind != LISTED_CHUNK;
    bool isKnown = hasAttribute(function) || isOwnAllocator(function);
    return isKnown ? std::optional<bool>(true) : std::nullopt;
}

static Answer passAnswer(const ModuleFlags &module, const Function &function) {
    if (std::optional<bool> declared = isDeclared(module, function))
        return *declared ? Answer::Yes : Answer::No;
    if (function.isDeclaration())
        return Answer::IfElsewhere;
    return module.passing.count(&function) ? Answer::Yes : Answer::No;
}

static Pointers pointersOf(ModuleFlags &module, const Function &function) {
    Pointers all = module.bodies.of(function).returned;
    all.add(module.bodies.of(function).stored);
    return all;
}

static bool isBlockOnly(ModuleFlags &module, const Function &function) {
    Pointers all = pointersOf(module, function);
    return !all.isOther && none_of(all.calls, [&](const Function *callee) {
        return passAnswer(module, *callee) == Answer::No;
    });
}

/* Returns whether the function returns a block that ultimately comes from an allocator, and not only from a
 * cycle of functions. `withBlock`: functions for which this is known. */
static bool hasBlock(ModuleFlags &module, const Function &function,
                     const std::set<const Function *> &withBlock) {
    Pointers all = pointersOf(module, function);
    return all.hasBlock || any_of(all.calls, [&](const Function *callee) {
               return !module.passing.count(callee) || isDeclared(module, *callee) || withBlock.count(callee);
           });
}

static void dropBlockless(ModuleFlags &module) {
    std::set<const Function *> withBlock;
    for (size_t before = 1; before != withBlock.size();) {
        before = withBlock.size();
        for (const Function *function : module.passing)
            if (hasBlock(module, *function, withBlock))
                withBlock.insert(function);
    }
    module.passing = withBlock;
}

/* Starts with all functions, because they may call each other, and removes those that do not pass
 * through until nothing changes. */
static void findPassing(ModuleFlags &module, const llvm::Module &all) {
    for (const Function &function : all)
        if (!function.isDeclaration() && module.reaching.functions.contains(&function) &&
            isDeclared(module, function) != false)
            module.passing.insert(&function);
    for (size_t before = 0; before != module.passing.size();) {
        before = module.passing.size();
        for (auto next = module.passing.begin(); next != module.passing.end();)
            next = isBlockOnly(module, **next) ? std::next(next) : module.passing.erase(next);
        dropBlockless(module);
    }
}

/* Returns the functions in other modules that a function depends on, directly or through functions of this
 * module. */
static Functions dependsOf(ModuleFlags &module, const Function &function) {
    Functions all, elsewhere;
    all.insert(&function);
    for (size_t i = 0; i < all.size(); i++) {
        for (const Function *callee : pointersOf(module, *all[i]).calls)
            if (passAnswer(module, *callee) == Answer::IfElsewhere)
                elsewhere.insert(callee);
            else if (module.passing.count(callee) && !isDeclared(module, *callee))
                all.insert(callee);
    }
    return elsewhere;
}

static std::string fileOf(const Function &function) {
    const DISubprogram *subprogram = function.getSubprogram();
    if (function.isDeclaration())
        return "";
    return subprogram ? pathOf(subprogram->getFile()) : function.getParent()->getSourceFileName();
}

static void addFunction(ModuleFlags &module, const Function &function, const std::string &symbol,
                        std::vector<FunctionFlags> &found) {
    FunctionFlags flags = {symbol, module.names.nameOf(function).shown(), fileOf(function), "", 0};
    if (isDeclared(module, function) == true)
        flags.flags |= ALLOCSITE_DECLARED;
    if (!function.isDeclaration() && module.reaching.functions.contains(&function) && isOfLibrary(function))
        flags.flags |= ALLOCSITE_LIBRARY;
    if (module.passing.count(&function) && !(flags.flags & ALLOCSITE_LIBRARY)) {
        Functions depends = dependsOf(module, function);
        for (const Function *other : depends)
            found.push_back(
                {flags.symbol, flags.function, flags.file, symbolOf(*other).str(), ALLOCSITE_PASSES_THROUGH});
        if (depends.empty())
            flags.flags |= ALLOCSITE_PASSES_THROUGH;
    }
    if (flags.flags)
        found.push_back(flags);
}

/* The reader recognizes these functions itself, by their file or by a name in std. */
static bool isRecognizedByReader(const Function &function) {
    return library_has(symbolOf(function).str().c_str()) || !libraryFileOf(function).empty();
}

static void setPasses(const ModuleFlags &module, Function &function) {
    if (!function.isDeclaration() &&
        (module.passing.count(&function) || isDeclared(module, function) == true || isOfLibrary(function) ||
         isRecognizedByReader(function)))
        function.addFnAttr(PassesAttribute);
}

std::vector<FunctionFlags> findFunctionFlags(llvm::Module &module, const Lists &lists,
                                             const Reaching &reaching, HandedOut &bodies, Names &names) {
    ModuleFlags all = {lists, reaching, names, bodies};
    std::vector<FunctionFlags> found;
    std::set<std::string> files;
    findPassing(all, module);
    for (Function &function : module) {
        setPasses(all, function);
        if (!function.isDeclaration() && reaching.functions.contains(&function))
            files.insert(libraryFileOf(function));
        bool isUsed = function.isDeclaration() && !function.use_empty();
        bool isSeen = isInstrumented(function) || isOwnAllocator(function) || isUsed;
        if (isSeen && !isStandIn(function) && !isRecognizedByReader(function))
            addFunction(all, function, symbolOf(function).str(), found);
    }
    for (const GlobalAlias &alias : module.aliases()) {
        auto *function = dyn_cast<Function>(alias.getAliasee()->stripPointerCasts());
        if (function && isInstrumented(*function) && !isRecognizedByReader(*function))
            addFunction(all, *function, alias.getName().str(), found);
    }
    files.erase("");
    for (const std::string &file : files)
        found.push_back({"", "", file, "", ALLOCSITE_LIBRARY});
    return found;
}

} // namespace allocsite
