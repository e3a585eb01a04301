/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "types/spell.h"

#include "format.h"

#include <clang/AST/PrettyPrinter.h>
#include <llvm/Support/Path.h>

using namespace clang;

namespace allocsite {

/* Names lambdas and unnamed structs by their source location, without directories, which differ between
 * machines. */
struct ShortPaths : PrintingCallbacks {
    std::string remapPath(llvm::StringRef path) const override {
        return llvm::sys::path::filename(path).str();
    }
};

static std::string spellType(const ASTContext &context, QualType type) {
    static const ShortPaths shortPaths;
    PrintingPolicy policy(context.getLangOpts());
    policy.Callbacks = &shortPaths;
    QualType element = context.getBaseElementType(type);
    return element.getCanonicalType().getUnqualifiedType().getAsString(policy);
}

QualType pointee(QualType type) {
    QualType to = type.isNull() ? QualType() : type.getNonReferenceType()->getPointeeType();
    return to.isNull() || to->isVoidType() || to->isFunctionType() ? QualType() : to;
}

/* Returns whether a type is informative. Memory of any kind can be declared as char or std::byte, and an
 * incomplete type has no size to request. */
static bool isTelling(const ASTContext &context, QualType type) {
    if (type.isNull())
        return false;
    QualType element = context.getBaseElementType(type);
    return !element->isCharType() && !element->isStdByteType() && !element->isIncompleteType();
}

Use throughCast(const ASTContext &context, const CastExpr *cast, Use use) {
    QualType to = pointee(cast->getType());
    if (to.isNull())
        return use;
    QualType &known = isa<ExplicitCastExpr>(cast) ? use.cast : use.target;
    if (known.isNull() || isTelling(context, to))
        known = to;
    return use;
}

/* The types in a size expression: without a factor (single), or multiplied (multiple). */
struct Sizes {
    llvm::SmallVector<QualType, 2> single, multiple;
    bool isSum = false;
};

static void addSize(llvm::SmallVectorImpl<QualType> &sizes, QualType type) {
    for (QualType known : sizes)
        if (known == type)
            return;
    sizes.push_back(type);
}

static void findSizes(const ASTContext &context, const Expr *size, bool isMultiplied, Sizes &sizes) {
    size = size->IgnoreParenCasts();
    if (auto *sum = dyn_cast<BinaryOperator>(size)) {
        bool isProduct = sum->getOpcode() == BO_Mul;
        sizes.isSum |= !isProduct;
        if (!isProduct && sum->getOpcode() != BO_Add && sum->getOpcode() != BO_Sub)
            return;
        findSizes(context, sum->getLHS(), isMultiplied || isProduct, sizes);
        findSizes(context, sum->getRHS(), isMultiplied || isProduct, sizes);
    } else if (auto *trait = dyn_cast<UnaryExprOrTypeTraitExpr>(size)) {
        QualType type = trait->getTypeOfArgument().getNonReferenceType();
        if (trait->getKind() != UETT_SizeOf || type->isDependentType() || type->isVoidType())
            return;
        type = context.getBaseElementType(type).getCanonicalType().getUnqualifiedType();
        addSize(isMultiplied ? sizes.multiple : sizes.single, type);
    } else if (auto *offset = dyn_cast<OffsetOfExpr>(size)) {
        addSize(sizes.single, offset->getTypeSourceInfo()->getType().getCanonicalType().getUnqualifiedType());
    } else if (auto *substituted = dyn_cast<SubstNonTypeTemplateParmExpr>(size)) {
        findSizes(context, substituted->getReplacement(), isMultiplied, sizes);
    }
}

/* Returns the struct for a struct with a flexible array: `sizeof(struct foo) + n * sizeof(struct part)` or
 * `offsetof(struct foo, parts[n])`. An added size of a number or a pointer is ignored: it is room for
 * additional data. Null: ambiguous. */
static QualType typeOf(Sizes sizes) {
    if (sizes.isSum)
        llvm::erase_if(sizes.single, [](QualType type) { return !type->isRecordType(); });
    const auto &telling = sizes.single.empty() ? sizes.multiple : sizes.single;
    return telling.size() == 1 ? telling.front() : QualType();
}

/* If the requested size has exactly one type, and this is a larger struct than the pointer's, returns the
 * larger struct: the pointer then points to its first member or base class. */
static QualType wholeOf(const ASTContext &context, QualType type, const Sizes &sizes) {
    QualType whole = sizes.single.size() == 1 ? sizes.single.front() : QualType();
    bool isBeginning = !whole.isNull() && type->isRecordType() && whole->isRecordType() &&
                       context.getTypeSize(type) < context.getTypeSize(whole);
    return isBeginning ? whole : type;
}

/* The stream that these functions return is smaller than the text that they allocate, and is freed
 * earlier. */
static bool returnsStreamToText(const CallExpr *call) {
    const FunctionDecl *callee = call->getDirectCallee();
    const IdentifierInfo *name = callee ? callee->getIdentifier() : nullptr;
    return name && call->getNumArgs() > 0 &&
           (name->isStr("open_memstream") || name->isStr("open_wmemstream"));
}

static QualType givenToFirst(const CallExpr *call) {
    return pointee(call->getArg(0)->IgnoreParenCasts()->getType()->getPointeeType());
}

/* posix_memalign, asprintf and similar functions store the block through their first argument. */
static QualType resultOf(const CallExpr *call) {
    QualType type = call->getType();
    return type->isAnyPointerType() || call->getNumArgs() == 0 ? pointee(type) : givenToFirst(call);
}

static Sizes sizesOf(const ASTContext &context, const CallExpr *call) {
    Sizes sizes;
    for (const Expr *argument : call->arguments())
        findSizes(context, argument, false, sizes);
    return sizes;
}

/* Returns the first informative type, otherwise the first type. Null: there is none. */
static QualType chooseSpelled(const ASTContext &context, ArrayRef<QualType> types, const Sizes &sizes) {
    for (QualType type : types)
        if (isTelling(context, type))
            return wholeOf(context, type, sizes);
    for (QualType type : types)
        if (!type.isNull())
            return type;
    return QualType();
}

std::string typeOfCall(const ASTContext &context, const CallExpr *call, Use use) {
    if (call->getType()->isRecordType())
        return "";
    if (QualType text = returnsStreamToText(call) ? givenToFirst(call) : QualType(); !text.isNull())
        return spellType(context, text);
    Sizes sizes = sizesOf(context, call);
    QualType type = chooseSpelled(context, {use.cast, resultOf(call), use.target, typeOf(sizes)}, sizes);
    return type.isNull() ? "" : spellType(context, type);
}

/* Returns whether a pointer points to raw memory: void, bytes or characters. Functions without prototypes
 * return `char *` for any memory. */
static bool isRaw(const ASTContext &context, QualType pointer) {
    return pointer->isAnyPointerType() && !isTelling(context, pointee(pointer)) &&
           !pointer->getPointeeType()->isFunctionType() && !pointer->getPointeeType()->isRecordType();
}

/* Returns whether the callee receives only the address of a pointer to raw memory. */
static bool isPlaceOfRaw(const ASTContext &context, const Expr *argument) {
    QualType passed = argument->getType();
    auto *address = dyn_cast<UnaryOperator>(argument->IgnoreParenCasts());
    return passed->isVoidPointerType()
               ? address && address->getOpcode() == UO_AddrOf
               : passed->isAnyPointerType() && isRaw(context, passed->getPointeeType());
}

/* If exactly one argument is the address of a typed pointer, returns the type that this pointer points to.
 * Otherwise returns null. */
static QualType filledIn(const ASTContext &context, const CallExpr *call) {
    QualType found;
    for (const Expr *argument : call->arguments()) {
        QualType source = argument->IgnoreParenCasts()->getType();
        bool isPlace = source->isAnyPointerType() && isPlaceOfRaw(context, argument);
        QualType type = isPlace ? pointee(source->getPointeeType()) : QualType();
        if (type.isNull())
            continue;
        if (!found.isNull())
            return QualType();
        found = type;
    }
    return found;
}

std::string typeByUse(const ASTContext &context, const CallExpr *call, Use use) {
    bool isResult = call->getType()->isAnyPointerType();
    QualType declared = pointee(call->getType());
    if (isResult && !isRaw(context, call->getType()))
        return "";
    Sizes sizes = sizesOf(context, call);
    QualType type = isResult ? chooseSpelled(context, {use.cast, use.target, typeOf(sizes)}, sizes)
                             : chooseSpelled(context, {filledIn(context, call)}, sizes);
    bool isKnown = !type.isNull() && (declared.isNull() || isTelling(context, type));
    return isKnown ? spellType(context, type) : isResult ? ALLOCSITE_BYTES : "";
}

std::string typeOfNew(const ASTContext &context, const CXXNewExpr *made) {
    return spellType(context, made->getAllocatedType());
}

} // namespace allocsite
