/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "types/ast.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclFriend.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/Support/Path.h>

using namespace clang;

namespace allocsite {

/* Debug info gives an instantiation the line of its template. */
static SourceLocation locationOf(const FunctionDecl *function) {
    const FunctionDecl *pattern = function->getTemplateInstantiationPattern();
    return pattern && pattern->hasBody(pattern) ? pattern->getLocation() : function->getLocation();
}

static void addFunction(ASTContext &context, const FunctionDecl *function, Roots &roots) {
    if (!function->doesThisDeclarationHaveABody() || function->isDependentContext() ||
        !roots.visited.insert(function).second)
        return;
    PresumedLoc place = context.getSourceManager().getPresumedLoc(locationOf(function));
    if (place.isValid())
        roots.functions[place.getLine()].push_back(function);
    addRoots(context, *function, roots);
}

static void addVariable(const VarDecl *variable, Roots &roots) {
    if (variable->hasGlobalStorage() && !variable->isStaticLocal() && variable->hasInit() &&
        !variable->getDeclContext()->isDependentContext())
        roots.variables.push_back(variable);
}

/* A befriended class is declared elsewhere, but a friend function can be defined here. */
static void addFriend(ASTContext &context, const NamedDecl *befriended, Roots &roots) {
    if (befriended && befriended->isFunctionOrFunctionTemplate())
        addRoot(context, befriended, roots);
}

void addRoot(ASTContext &context, const Decl *declaration, Roots &roots) {
    if (auto *function = dyn_cast<FunctionDecl>(declaration))
        return addFunction(context, function, roots);
    if (auto *variable = dyn_cast<VarDecl>(declaration))
        return addVariable(variable, roots);
    if (auto *functions = dyn_cast<FunctionTemplateDecl>(declaration)) {
        for (const FunctionDecl *function : functions->specializations())
            addFunction(context, function, roots);
    } else if (auto *befriended = dyn_cast<FriendDecl>(declaration)) {
        addFriend(context, befriended->getFriendDecl(), roots);
    } else if (auto *classes = dyn_cast<ClassTemplateDecl>(declaration)) {
        for (const ClassTemplateSpecializationDecl *instance : classes->specializations())
            addRoots(context, *instance, roots);
    } else if (auto *variables = dyn_cast<VarTemplateDecl>(declaration)) {
        for (const VarTemplateSpecializationDecl *variable : variables->specializations())
            addVariable(variable, roots);
    } else if (auto *scope = dyn_cast<DeclContext>(declaration)) {
        addRoots(context, *scope, roots);
    }
}

void addRoots(ASTContext &context, const DeclContext &scope, Roots &roots) {
    if (scope.isDependentContext())
        return;
    for (const Decl *declaration : scope.noload_decls())
        addRoot(context, declaration, roots);
}

static std::vector<std::string> symbolsOf(MangleContext &mangler, const FunctionDecl *function) {
    llvm::SmallVector<GlobalDecl, 3> variants;
    if (auto *constructor = dyn_cast<CXXConstructorDecl>(function))
        variants = {{constructor, Ctor_Complete}, {constructor, Ctor_Base}};
    else if (auto *destructor = dyn_cast<CXXDestructorDecl>(function))
        variants = {{destructor, Dtor_Deleting}, {destructor, Dtor_Complete}, {destructor, Dtor_Base}};
    else
        variants = {GlobalDecl(function)};
    std::vector<std::string> symbols;
    for (GlobalDecl variant : variants)
        symbols.push_back(symbolOf(mangler, variant));
    return symbols;
}

/* Caches the symbols, because all calls of a function ask for them and mangled template names are long. */
static bool hasSymbol(MangleContext &mangler, const FunctionDecl *function, llvm::StringRef symbol,
                      Roots &roots) {
    auto [position, isNew] = roots.symbols.try_emplace(function);
    if (isNew)
        position->second = symbolsOf(mangler, function);
    return llvm::is_contained(position->second, symbol);
}

static bool isIn(const SourceManager &sources, SourceLocation location, llvm::StringRef file) {
    PresumedLoc place = sources.getPresumedLoc(location);
    return place.isValid() &&
           llvm::sys::path::filename(place.getFilename()) == llvm::sys::path::filename(file);
}

static bool holdsLine(const SourceManager &sources, const VarDecl *variable, unsigned line) {
    PresumedLoc begin = sources.getPresumedLoc(variable->getBeginLoc());
    PresumedLoc end = sources.getPresumedLoc(sources.getExpansionRange(variable->getEndLoc()).getEnd());
    return begin.isValid() && end.isValid() && begin.getLine() <= line && line <= end.getLine();
}

llvm::SmallVector<const Decl *, 2> findRoots(ASTContext &context, MangleContext &mangler, Roots &roots,
                                             const allocsite_types_question &question) {
    const SourceManager &sources = context.getSourceManager();
    llvm::SmallVector<const Decl *, 2> found;
    if (question.function_line == 0) {
        for (const VarDecl *variable : roots.variables)
            if (holdsLine(sources, variable, question.line) &&
                isIn(sources, variable->getLocation(), question.file))
                found.push_back(variable);
        return found;
    }
    auto line = roots.functions.find(question.function_line);
    if (line == roots.functions.end())
        return found;
    for (const FunctionDecl *function : line->second)
        if (hasSymbol(mangler, function, question.function, roots))
            return {function};
    for (const FunctionDecl *function : line->second)
        if (isIn(sources, locationOf(function), question.file))
            found.push_back(function);
    return found;
}

} // namespace allocsite
