/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which functions a source file uses that it does not define. */
#include "types/ast.h"

#include "types/spell.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>

using namespace clang;

namespace allocsite {

/* A module's functions are compiled with it, though their bodies can be read. */
static bool isDefinedHere(const FunctionDecl &function) {
    return function.isDefined() && (!function.isFromASTFile() || function.isInlined());
}

static void add(MangleContext &mangler, const FunctionDecl *function, Declared &declared) {
    if (isa<CXXDestructorDecl>(function) || !function->isReferenced() || function->isDependentContext() ||
        isDefinedHere(*function))
        return;
    if (auto *constructor = dyn_cast<CXXConstructorDecl>(function)) {
        for (CXXCtorType type : {Ctor_Complete, Ctor_Base})
            declared.insert({symbolOf(mangler, GlobalDecl(constructor, type)), function});
        return;
    }
    declared.insert({symbolOf(mangler, function), function});
}

/* Instances whose code may stand in another file, where the template is instantiated explicitly. */
template <class Template, class Add> static void eachInstance(const Template &declaration, Add add) {
    for (const auto *instance : declaration.specializations())
        add(*instance);
}

void addRead(MangleContext &mangler, const Decl &declaration, Declared &declared) {
    auto *function = dyn_cast<FunctionDecl>(&declaration);
    if (function && !function->isInStdNamespace())
        add(mangler, function, declared);
}

void addDeclared(MangleContext &mangler, const DeclContext &scope, Declared &declared) {
    if (scope.isDependentContext() || scope.isStdNamespace())
        return;
    for (const Decl *declaration : scope.noload_decls()) {
        if (auto *function = dyn_cast<FunctionDecl>(declaration))
            add(mangler, function, declared);
        else if (auto *functions = dyn_cast<FunctionTemplateDecl>(declaration))
            eachInstance(*functions,
                         [&](const FunctionDecl &instance) { add(mangler, &instance, declared); });
        else if (auto *classes = dyn_cast<ClassTemplateDecl>(declaration))
            eachInstance(*classes,
                         [&](const CXXRecordDecl &instance) { addDeclared(mangler, instance, declared); });
        else if (isa<NamespaceDecl>(declaration) || isa<LinkageSpecDecl>(declaration) ||
                 isa<CXXRecordDecl>(declaration))
            addDeclared(mangler, *cast<DeclContext>(declaration), declared);
    }
}

const char *headerOf(const ASTContext &context, const FunctionDecl &function) {
    PresumedLoc place = context.getSourceManager().getPresumedLoc(
        context.getSourceManager().getExpansionLoc(function.getLocation()), false);
    return place.isValid() ? place.getFilename() : nullptr;
}

} // namespace allocsite
