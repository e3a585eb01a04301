/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a declaration tells of a function: whether it could hand on blocks, or give them back. */
#include "types/ast.h"

#include "types/spell.h"

#include <clang/AST/DeclCXX.h>

using namespace clang;

namespace allocsite {

static bool isCharacters(QualType pointee) {
    return pointee->isAnyCharacterType();
}

/* A number as wide as a size surely can be one, if its name does not speak against it. */
static bool isWide(const ASTContext &context, const ParmVarDecl &parameter) {
    QualType type = parameter.getType();
    return type->isIntegerType() && !type->isEnumeralType() && context.getTypeSize(type) == 64 &&
           (isNamedCount(parameter) || !isNamedPosition(parameter));
}

/* A narrower one by its name. Which object is wanted is more often a number without a name. */
static bool isCount(const ASTContext &context, const ParmVarDecl &parameter, bool isObject) {
    QualType type = parameter.getType();
    if (!type->isIntegerType() || type->isEnumeralType() || context.getTypeSize(type) != 32)
        return false;
    return (parameter.getName().empty() && !isObject) || isNamedCount(parameter);
}

/* What is read and not changed; `const handle text` is meant to say so of a pointer by another name. */
static QualType readThrough(QualType type) {
    QualType pointee = type->getPointeeType();
    bool isRead = !pointee.isNull() && (pointee.isConstQualified() || type.isConstQualified());
    return isRead ? pointee : QualType();
}

static bool isText(QualType type) {
    QualType read = readThrough(type);
    return !read.isNull() && isCharacters(read);
}

/* What says how others are printed, as printf's. */
static bool isFormat(const FunctionDecl &function, const ParmVarDecl &parameter) {
    auto *method = dyn_cast<CXXMethodDecl>(&function);
    int first = method && method->isInstance() ? 2 : 1;
    return llvm::any_of(function.specific_attrs<FormatAttr>(), [&](const FormatAttr *attribute) {
        return attribute->getFormatIdx() == (int)parameter.getFunctionScopeIndex() + first;
    });
}

static bool isOfCharacters(const ParmVarDecl &parameter) {
    QualType pointee = parameter.getType()->getPointeeType();
    return !pointee.isNull() && isCharacters(pointee);
}

/* Old programs do not say that a text is only read: one that comes alone, without a number, is. */
static bool isAlone(const FunctionDecl &function, const ParmVarDecl &text) {
    return llvm::all_of(function.parameters(), [&](const ParmVarDecl *other) {
        return (other == &text) == isOfCharacters(*other) && !other->getType()->isIntegerType();
    });
}

/* Of which a text can be made. */
static bool isThing(QualType type) {
    QualType read = readThrough(type);
    return !read.isNull() && read->isRecordType();
}

/* A long one is an object that ends in an array, as long as its contents are. */
enum class Result { NOTHING, RAW, TEXT, OBJECT, LONG, STRUCTURE, STATUS };

/* Before C99 such an array had one element. */
static bool isLong(QualType type) {
    const RecordDecl *record = type->isRecordType() ? type->castAs<RecordType>()->getDecl() : nullptr;
    record = record ? record->getDefinition() : nullptr;
    const FieldDecl *last = nullptr;
    if (record)
        for (const FieldDecl *field : record->fields())
            last = field;
    auto *array = last ? dyn_cast<ConstantArrayType>(last->getType().getCanonicalType()) : nullptr;
    return record && (record->hasFlexibleArrayMember() || (array && array->getSize().ule(1)));
}

/* What the C library opens by a name. */
static bool isStream(QualType type) {
    const RecordDecl *record = type->isRecordType() ? type->castAs<RecordType>()->getDecl() : nullptr;
    const IdentifierInfo *name = record ? record->getIdentifier() : nullptr;
    return name && (name->isStr("_IO_FILE") || name->isStr("__dirstream"));
}

static Result pointedAt(QualType pointee) {
    if (pointee->isVoidType() || isStream(pointee))
        return Result::RAW;
    return isCharacters(pointee) ? Result::TEXT : isLong(pointee) ? Result::LONG : Result::OBJECT;
}

/* What has a destructor is not. */
static bool isInRegisters(QualType type) {
    const CXXRecordDecl *record = type->getAsCXXRecordDecl();
    return !record || record->canPassInRegisters();
}

/* In bits. A class that is only declared, as a virtual function may return or take one, has no size: more
 * than any. */
static uint64_t sizeOf(const ASTContext &context, QualType type) {
    return type->isIncompleteType() ? UINT64_MAX : context.getTypeSize(type);
}

static Result resultOf(const ASTContext &context, QualType type) {
    QualType pointee = type->getPointeeType();
    if (type->isPointerType() && !pointee.isConstQualified() && !pointee->isFunctionType())
        return pointedAt(pointee);
    if (type->isRecordType() && sizeOf(context, type) <= 128 && isInRegisters(type))
        return Result::STRUCTURE;
    if (type->isRecordType())
        return Result::OBJECT;
    return type->isVoidType() ? Result::STATUS : Result::NOTHING;
}

/* The number of values that a parameter is in the IR, by the ABI of x86-64. */
static unsigned valuesOf(const ASTContext &context, QualType type) {
    if (!type->isRecordType())
        return 1;
    uint64_t bits = sizeOf(context, type);
    return bits > 64 && bits <= 128 ? 2 : 1;
}

static uint64_t bitOf(unsigned position) {
    return position < 64 ? UINT64_C(1) << position : 0;
}

/* The parameters that a size can depend on. */
static uint64_t sizesOf(const ASTContext &context, const FunctionDecl &function, Result result,
                        unsigned position) {
    uint64_t wide = 0, counts = 0, texts = 0;
    for (const ParmVarDecl *parameter : function.parameters()) {
        wide |= isWide(context, *parameter) ? bitOf(position) : 0;
        counts |= isCount(context, *parameter, result == Result::OBJECT) ? bitOf(position) : 0;
        bool isRead =
            (result != Result::OBJECT && (isText(parameter->getType()) || isFormat(function, *parameter))) ||
            ((result == Result::TEXT || result == Result::LONG) && isAlone(function, *parameter)) ||
            (result == Result::TEXT && isThing(parameter->getType())) ||
            (result == Result::LONG && parameter->getType()->isPointerType() &&
             parameter->getType()->getPointeeType()->isRecordType());
        texts |= isRead ? bitOf(position) : 0;
        position += valuesOf(context, parameter->getType());
    }
    return (wide ? wide : counts) | texts;
}

/* What a small structure begins with, for that is passed first; else the type itself. */
static QualType firstIn(const ASTContext &context, QualType type) {
    const RecordDecl *record = type->isRecordType() ? type->castAs<RecordType>()->getDecl() : nullptr;
    bool isSmall = record && !record->field_empty() && sizeOf(context, type) <= 128 && isInRegisters(type);
    return isSmall ? record->field_begin()->getType() : type;
}

/* The one that can be a block to give back: of no type, or of characters. 0: none. */
static unsigned freedOf(const ASTContext &context, const FunctionDecl &function, unsigned position) {
    unsigned freed = 0;
    for (const ParmVarDecl *parameter : function.parameters()) {
        QualType pointee = firstIn(context, parameter->getType())->getPointeeType();
        bool isBlock = !pointee.isNull() && !pointee.isConstQualified() &&
                       (pointee->isVoidType() || isCharacters(pointee));
        if (isBlock && freed)
            return 0;
        freed = isBlock ? position + 1 : freed;
        position += valuesOf(context, parameter->getType());
    }
    return function.getNumParams() <= 2 ? freed : 0;
}

static bool isStatus(const ASTContext &context, QualType type) {
    return type->isVoidType() || (type->isIntegralOrEnumerationType() && context.getTypeSize(type) <= 64);
}

/* The only pointer to a pointer, as the parameter that it is. */
static const ParmVarDecl *outOf(const FunctionDecl &function) {
    const ParmVarDecl *out = nullptr;
    for (const ParmVarDecl *parameter : function.parameters()) {
        QualType pointee = parameter->getType()->getPointeeType();
        if (pointee.isNull() || !pointee->isPointerType() || pointee.isConstQualified())
            continue;
        if (out)
            return nullptr;
        out = parameter;
    }
    return out;
}

static unsigned numberOf(const ASTContext &context, const FunctionDecl &function, const ParmVarDecl &wanted,
                         unsigned position) {
    for (const ParmVarDecl *parameter : function.parameters()) {
        if (parameter == &wanted)
            break;
        position += valuesOf(context, parameter->getType());
    }
    return position + 1;
}

static void describeOut(const ASTContext &context, const FunctionDecl &function, unsigned first,
                        allocsite_types_declaration &described) {
    const ParmVarDecl *out = isStatus(context, function.getReturnType()) ? outOf(function) : nullptr;
    Result result = out ? resultOf(context, out->getType()->getPointeeType()) : Result::NOTHING;
    if (result == Result::NOTHING)
        return;
    described.sizes = sizesOf(context, function, result, first);
    described.out = described.sizes ? numberOf(context, function, *out, first) : 0;
}

/* Those that point at characters it may change. */
static uint64_t writtenOf(const ASTContext &context, const FunctionDecl &function, unsigned position) {
    uint64_t written = 0;
    for (const ParmVarDecl *parameter : function.parameters()) {
        bool isWritten = isOfCharacters(*parameter) && !isText(parameter->getType()) &&
                         !isFormat(function, *parameter) && !isAlone(function, *parameter);
        written |= isWritten ? bitOf(position) : 0;
        position += valuesOf(context, parameter->getType());
    }
    return written;
}

/* Whether a structure is made of buffers and numbers. Larger things have so many functions that few of those
 * make anything grow. */
static bool isOfBuffers(const ASTContext &context, QualType type) {
    const RecordDecl *record = type->isRecordType() ? type->castAs<RecordType>()->getDecl() : nullptr;
    record = record && !type->isDependentType() ? record->getDefinition() : nullptr;
    bool hasOne = false;
    return record &&
           llvm::all_of(record->fields(),
                        [&](const FieldDecl *field) {
                            bool isOne = !blockOf(context, field->getType()).isNull();
                            hasOne |= isOne;
                            return isOne || field->getType()->isIntegralOrEnumerationType();
                        }) &&
           hasOne;
}

/* Whether a structure is given a size and nothing else. A number with a sign that is as wide as a size is
 * more often something to keep there. */
static bool isGivenRoom(const ASTContext &context, const FunctionDecl &function) {
    if (function.getNumParams() != 2)
        return false;
    const ParmVarDecl *number = function.getParamDecl(1);
    bool isSize = number->getType()->isUnsignedIntegerType() && isWide(context, *number);
    bool isNamed = isNamedCount(*number);
    return isSize ? isNamed || number->getName().empty() : isNamed && isCount(context, *number, true);
}

/* Whether it is a member of a buffer, and may change that. */
static bool isOfBuffer(const ASTContext &context, const FunctionDecl &function) {
    auto *method = dyn_cast<CXXMethodDecl>(&function);
    return method && method->isInstance() && !method->isConst() && function.getNumParams() > 0 &&
           !blockOf(context, method->getThisType()->getPointeeType()).isNull();
}

/* Whether it tells of a place that may be set to another number. */
static bool isPlaceOfCount(const ParmVarDecl &parameter) {
    QualType count = parameter.getType()->getPointeeType();
    return !count.isNull() && !count.isConstQualified() && count->isIntegerType() &&
           !count->isAnyCharacterType() && isNamedCount(parameter);
}

/* Whether an array is given by the places of its block and of its length or its end, with what to add to it.
 */
static bool isArray(const ASTContext &context, const FunctionDecl &function, unsigned number) {
    if (function.getNumParams() < 3 || number + 1 >= function.getNumParams())
        return false;
    const ParmVarDecl *place = function.getParamDecl(number), *next = function.getParamDecl(number + 1);
    QualType block = place->getType()->getPointeeType();
    bool isPlace = !block.isNull() && (block->isVoidType() || block->isPointerType());
    bool hasEnd = isPlace && block->isPointerType() && context.hasSameType(place->getType(), next->getType());
    return isPlace && !block.isConstQualified() && (hasEnd || isPlaceOfCount(*next));
}

/* Whether a thing that only its own file knows is given something to keep, by the function's name. */
static bool isKeptInHidden(const FunctionDecl &function, const ParmVarDecl &thing) {
    bool isHidden =
        thing.getFunctionScopeIndex() == 0 && thing.getType()->getPointeeType()->isIncompleteType();
    return isHidden && function.getNumParams() > 1 && isNamedAddition(function);
}

/* What is given nothing but a buffer gives room back, if it does not return where to put more. */
static bool mayGrow(const ASTContext &context, const FunctionDecl &function) {
    Result result = resultOf(context, function.getReturnType());
    return function.getNumParams() > 1 || result == Result::RAW || result == Result::OBJECT;
}

/* Whether it returns no pointer, or what it was given. */
static bool isHeld(const FunctionDecl &function) {
    QualType result = function.getReturnType()->getPointeeType();
    return result.isNull() || llvm::any_of(function.parameters(), [&](const ParmVarDecl *parameter) {
               QualType given = parameter->getType()->getPointeeType();
               return !given.isNull() && result->isRecordType() &&
                      given.getCanonicalType() == result.getCanonicalType();
           });
}

/* What returns a block of the size that it is given makes that, whatever it notes in what else it is given.
 */
static bool isRoomFor(const ASTContext &context, const FunctionDecl &function, const ParmVarDecl &own) {
    return isHeld(function) && (isGivenRoom(context, function) || isKeptInHidden(function, own));
}

/* Whether it is given another such thing, to copy that. */
static bool isGivenAnother(const ASTContext &context, const FunctionDecl &function, const ParmVarDecl &own) {
    QualType thing = own.getType()->getPointeeType();
    return llvm::any_of(function.parameters(), [&](const ParmVarDecl *other) {
        QualType pointee = other->getType()->getPointeeType();
        return other != &own && !pointee.isNull() && context.hasSameUnqualifiedType(thing, pointee);
    });
}

/* The number from 1 of the one whose block it can make grow; 0: none. */
static unsigned grownOf(const ASTContext &context, const FunctionDecl &function, unsigned position) {
    if (isOfBuffer(context, function))
        return 1;
    if (!mayGrow(context, function))
        return 0;
    bool isToldHowMuch = sizesOf(context, function, Result::TEXT, position);
    for (const ParmVarDecl *own : function.parameters()) {
        QualType type = own->getType();
        QualType pointee = type->isPointerType() ? type->getPointeeType() : QualType();
        if (!pointee.isNull() && !pointee.isConstQualified() && pointee->isRecordType() &&
            (!blockOf(context, pointee).isNull() || isRoomFor(context, function, *own) ||
             ((isToldHowMuch || isGivenAnother(context, function, *own)) && isOfBuffers(context, pointee))))
            return position + 1;
        if (isArray(context, function, own->getFunctionScopeIndex()))
            return position + 1;
        position += valuesOf(context, type);
    }
    return 0;
}

static unsigned valuesOf(const ASTContext &context, const FunctionDecl &function) {
    auto *method = dyn_cast<CXXMethodDecl>(&function);
    unsigned count = method && method->isInstance();
    for (const ParmVarDecl *parameter : function.parameters())
        count += valuesOf(context, parameter->getType());
    return count;
}

static bool isPlace(QualType pointee) {
    return pointee->isVoidType() || pointee->isPointerType();
}

static void describeParameters(const ASTContext &context, const FunctionDecl &function, unsigned position,
                               allocsite_types_declaration &described) {
    for (const ParmVarDecl *parameter : function.parameters()) {
        QualType pointee = parameter->getType()->getPointeeType();
        bool isBuffer = !pointee.isNull() && !blockOf(context, pointee).isNull();
        described.buffers |= isBuffer ? bitOf(position) : 0;
        described.elements |= isElement(context, function, *parameter) ? bitOf(position) : 0;
        described.places |= !pointee.isNull() && isPlace(pointee) ? bitOf(position) : 0;
        position += valuesOf(context, parameter->getType());
    }
}

/* What it can hand on or give back. */
static void describeBlock(const ASTContext &context, const FunctionDecl &function, Result result,
                          unsigned first, allocsite_types_declaration &described) {
    if (result == Result::STATUS)
        described.freed = freedOf(context, function, first);
    else if (result != Result::NOTHING)
        described.sizes = sizesOf(context, function, result, first);
    if (!described.sizes && !described.freed)
        describeOut(context, function, first, described);
    if (result == Result::TEXT && !isNamedCopy(function))
        described.written = writtenOf(context, function, first);
}

allocsite_types_declaration describe(const ASTContext &context, const FunctionDecl &function) {
    auto *method = dyn_cast<CXXMethodDecl>(&function);
    unsigned first = method && method->isInstance();
    Result result = resultOf(context, function.getReturnType());
    allocsite_types_declaration described = {};
    described.values = valuesOf(context, function);
    described.makes =
        result == Result::RAW || result == Result::TEXT || result == Result::LONG || result == Result::OBJECT;
    if (!isa<CXXConstructorDecl>(function))
        describeBlock(context, function, result, first, described);
    described.grows = grownOf(context, function, first);
    if (described.grows)
        described.freed = 0; // `push(list, block)` keeps it
    described.held = described.grows && !described.out && isHeld(function);
    describeParameters(context, function, first, described);
    described.container = takesElement(context, function);
    if (first && (described.container || !blockOf(context, method->getThisType()->getPointeeType()).isNull()))
        described.buffers |= bitOf(0);
    return described;
}

} // namespace allocsite
