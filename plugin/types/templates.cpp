/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What instances of the program's own templates are made for: the element of a container, the class that a
 * function is told to make. */
#include "types/ast.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>

using namespace clang;

namespace allocsite {

/* A type among the arguments that a template has. */
static bool isAmong(const ASTContext &context, const TemplateArgumentList *arguments, QualType type) {
    return arguments && !type.isNull() &&
           llvm::any_of(arguments->asArray(), [&](const TemplateArgument &argument) {
               return argument.getKind() == TemplateArgument::Type &&
                      context.hasSameUnqualifiedType(argument.getAsType(), type);
           });
}

static const TemplateArgumentList *argumentsOf(const RecordDecl *record) {
    auto *instance = dyn_cast_or_null<ClassTemplateSpecializationDecl>(record);
    return instance ? &instance->getTemplateArgs() : nullptr;
}

static const RecordDecl *recordOf(QualType type) {
    return type->isRecordType() ? type->castAs<RecordType>()->getDecl() : nullptr;
}

/* Of a class template; null: it is none of one. */
static const CXXRecordDecl *containerOf(const FunctionDecl &function) {
    auto *method = dyn_cast<CXXMethodDecl>(&function);
    bool isOne = method && method->isInstance() && !method->isConst() && argumentsOf(method->getParent());
    return isOne ? method->getParent() : nullptr;
}

static bool takesAnyNumber(const FunctionDecl &function) {
    const FunctionTemplateDecl *pattern = function.getPrimaryTemplate();
    return pattern && pattern->getTemplateParameters()->hasParameterPack();
}

/* Alone or as the pair of a key and a value. An array of elements is a pool's. */
static bool isElementOrPair(const ASTContext &context, const TemplateArgumentList &elements, QualType type) {
    const TemplateArgumentList *parts = argumentsOf(recordOf(type));
    return isAmong(context, &elements, type) ||
           (parts && llvm::any_of(parts->asArray(), [&](const TemplateArgument &part) {
                return part.getKind() == TemplateArgument::Type &&
                       isAmong(context, &elements, part.getAsType());
            }));
}

bool isElement(const ASTContext &context, const FunctionDecl &function, const ParmVarDecl &parameter) {
    const CXXRecordDecl *container = containerOf(function);
    QualType type = parameter.getType().getNonReferenceType();
    return container && !isNamedCount(parameter) && isElementOrPair(context, *argumentsOf(container), type);
}

bool takesElement(const ASTContext &context, const FunctionDecl &function) {
    const CXXRecordDecl *container = containerOf(function);
    return container &&
           (takesAnyNumber(function) ||
            isAmong(context, argumentsOf(container), function.getReturnType()->getPointeeType()) ||
            llvm::any_of(function.parameters(), [&](const ParmVarDecl *parameter) {
                QualType type = parameter->getType().getNonReferenceType();
                return isElement(context, function, *parameter) ||
                       declaresSameEntity(recordOf(type), container) ||
                       (type->isIntegerType() && isNamedCount(*parameter));
            }));
}

static bool holdsElement(const ASTContext &context, const TemplateArgumentList &elements, QualType type) {
    const RecordDecl *node = recordOf(type);
    node = node ? node->getDefinition() : nullptr;
    return isAmong(context, &elements, type) ||
           (node && llvm::any_of(node->fields(), [&](const FieldDecl *field) {
                return isElementOrPair(context, elements, field->getType());
            }));
}

/* Whether a parameter leads to such a thing. */
static bool leadsTo(const ASTContext &context, const ParmVarDecl &parameter, QualType type) {
    QualType given = parameter.getType().getNonReferenceType();
    while (!given.isNull() && !context.hasSameUnqualifiedType(given, type))
        given = given->getPointeeType();
    return !given.isNull();
}

/* Whether its caller names the class, for no argument tells it, and gets something that can hold it. */
static bool isToldToMake(const ASTContext &context, const FunctionDecl &function, QualType type) {
    return !function.getReturnType()->isVoidType() && !function.getReturnType()->isArithmeticType() &&
           isAmong(context, function.getTemplateSpecializationArgs(), type) &&
           llvm::none_of(function.parameters(),
                         [&](const ParmVarDecl *parameter) { return leadsTo(context, *parameter, type); });
}

/* Whether a function gives out what it makes of all that it is given, as std::make_unique does. */
static bool isForwarding(const ASTContext &context, const FunctionDecl &function, QualType made) {
    QualType result = function.getReturnType();
    return takesAnyNumber(function) &&
           (context.hasSameUnqualifiedType(result->isPointerType() ? result->getPointeeType() : result,
                                           made) ||
            isAmong(context, argumentsOf(recordOf(result)), made));
}

bool isForCaller(const ASTContext &context, const FunctionDecl &function, QualType made) {
    return isToldToMake(context, function, made) || isForwarding(context, function, made) ||
           (takesElement(context, function) &&
            holdsElement(context, *argumentsOf(containerOf(function)), made));
}

} // namespace allocsite
