/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "types/spell.h"

#include <clang/AST/PrettyPrinter.h>
#include <llvm/Support/Path.h>

using namespace clang;

namespace allocsite {

/* Lambdas and unnamed structs are told apart by where they stand: without the directories of this machine. */
struct ShortPaths : PrintingCallbacks {
    std::string remapPath(llvm::StringRef path) const override {
        return llvm::sys::path::filename(path).str();
    }
};

static std::string spell(const ASTContext &context, QualType type) {
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

/* Any memory can be had as char, and an incomplete type has no size to ask for: they say little. */
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

/* The types whose sizes are added up to a size that is asked for: alone, or times something. */
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

/* A struct and its flexible array are `sizeof(struct foo) + n * sizeof(struct part)` or
 * `offsetof(struct foo, parts[n])`: the former. A number or a pointer that is added to a size is room for
 * something else beside it. */
static QualType typeOf(Sizes sizes) {
    if (sizes.isSum)
        llvm::erase_if(sizes.single, [](QualType type) { return !type->isRecordType(); });
    const auto &telling = sizes.single.empty() ? sizes.multiple : sizes.single;
    return telling.size() == 1 ? telling.front() : QualType();
}

/* What a pointer of that type leads to, if one thing is asked for by its size: by the beginning or the base
 * of something larger. */
static QualType wholeOf(const ASTContext &context, QualType type, const Sizes &sizes) {
    QualType whole = sizes.single.size() == 1 ? sizes.single.front() : QualType();
    bool isBeginning = !whole.isNull() && type->isRecordType() && whole->isRecordType() &&
                       context.getTypeSize(type) < context.getTypeSize(whole);
    return isBeginning ? whole : type;
}

QualType bufferBlock(const ASTContext &context, const Expr *argument) {
    QualType type = argument->IgnoreParenCasts()->getType()->getPointeeType();
    return type.isNull() ? QualType() : blockOf(context, type);
}

static const FunctionProtoType *typeCalled(const CallExpr *call) {
    QualType type = call->getCallee()->getType(), pointee = type->getPointeeType();
    return (pointee.isNull() ? type : pointee)->getAs<FunctionProtoType>();
}

/* Whether a call cannot make grow what it is given there: it can only read it, or keeps any pointer. */
static bool isLeft(const CallExpr *call, unsigned argument) {
    const FunctionProtoType *type = typeCalled(call);
    QualType given =
        type && argument < type->getNumParams() ? type->getParamType(argument)->getPointeeType() : QualType();
    return !given.isNull() && (given.isConstQualified() || (given->isVoidType() && argument > 0));
}

/* That of the first buffer among the arguments; null: there is none. */
static QualType blockGrown(const ASTContext &context, const CallExpr *call) {
    for (unsigned i = 0; i < call->getNumArgs(); i++)
        if (QualType block = isLeft(call, i) ? QualType() : bufferBlock(context, call->getArg(i));
            !block.isNull())
            return pointee(block);
    return {};
}

/* The stream that comes back is the smaller part of what these make, and is taken back sooner than the text.
 */
static bool returnsStreamToText(const CallExpr *call) {
    const FunctionDecl *callee = call->getDirectCallee();
    const IdentifierInfo *name = callee ? callee->getIdentifier() : nullptr;
    return name && call->getNumArgs() > 0 &&
           (name->isStr("open_memstream") || name->isStr("open_wmemstream"));
}

static QualType givenToFirst(const CallExpr *call) {
    return pointee(call->getArg(0)->IgnoreParenCasts()->getType()->getPointeeType());
}

/* posix_memalign, asprintf and their kin give the block to a pointer that is passed first, and who makes a
 * buffer grow to what that points to. */
static QualType resultOf(const ASTContext &context, const CallExpr *call) {
    QualType type = call->getType();
    if (type->isAnyPointerType() || call->getNumArgs() == 0)
        return pointee(type);
    if (QualType block = blockGrown(context, call); !block.isNull())
        return block;
    return givenToFirst(call);
}

std::string holderOf(const ASTContext &context, const CallExpr *call) {
    QualType type = call->getType(), pointee = type->getPointeeType();
    QualType holder = !pointee.isNull() && pointee->isRecordType() ? pointee : type;
    return holder->isRecordType() ? spell(context, holder) : "";
}

std::string heldBy(const ASTContext &context, const CallExpr *call) {
    QualType block = blockGrown(context, call);
    return block.isNull() ? "" : spell(context, block);
}

/* Characters that a function's type tells of. */
static bool isText(QualType type, bool isRead) {
    QualType to = pointee(type);
    return !to.isNull() && to->isAnyCharacterType() && to.isConstQualified() == isRead;
}

std::string textCopied(const ASTContext &context, const CallExpr *call) {
    const FunctionProtoType *type = typeCalled(call);
    auto is = [&](bool isRead) {
        return llvm::any_of(type->param_types(), [&](QualType given) { return isText(given, isRead); });
    };
    return type && isText(call->getType(), false) && is(true) && !is(false)
               ? spell(context, pointee(call->getType()))
               : "";
}

std::string typeOfCall(const ASTContext &context, const CallExpr *call, Use use) {
    if (call->getType()->isRecordType())
        return "";
    if (QualType text = returnsStreamToText(call) ? givenToFirst(call) : QualType(); !text.isNull())
        return spell(context, text);
    Sizes sizes;
    for (const Expr *argument : call->arguments())
        findSizes(context, argument, false, sizes);
    QualType found[] = {use.cast, resultOf(context, call), use.target, typeOf(sizes)};
    for (QualType type : found)
        if (isTelling(context, type))
            return spell(context, wholeOf(context, type, sizes));
    for (QualType type : found)
        if (!type.isNull())
            return spell(context, type);
    return "";
}

std::string typeOfNew(const ASTContext &context, const CXXNewExpr *made) {
    return spell(context, made->getAllocatedType());
}

/* ---- Buffers. */

struct Members {
    llvm::SmallVector<QualType, 4> numbers, pointers;
    bool hasEnd = false;
};

/* By the last word of a name. */
static bool isEnd(llvm::StringRef name) {
    static const char *const words[] = {"end", "limit",  "stop", "top", "last",
                                        "max", "finish", "tail", "lim"};
    std::string lower = name.lower();
    return llvm::any_of(
        words, [&](llvm::StringRef word) { return llvm::StringRef(lower).take_back(word.size()) == word; });
}

/* Which of them nobody names by what it holds: text is set, and not made longer, unless something says where
 * it ends. */
static bool areEnds(const Members &members) {
    const auto &pointers = members.pointers;
    return members.hasEnd && pointers.size() > 1 && pointers.size() <= 4 &&
           llvm::count(pointers, pointers[0]) == (long)pointers.size();
}

/* False: there are others than numbers and pointers elsewhere. */
static bool take(const ASTContext &context, const FieldDecl &field, QualType whole, Members &members) {
    QualType member = field.getType().getCanonicalType(), pointee = member->getPointeeType();
    bool isOther = member->isArrayType() || member->isRecordType() || field.isBitField();
    if (isOther || (!pointee.isNull() && context.hasSameUnqualifiedType(pointee, whole)))
        return false;
    if (member->isIntegerType() && context.getTypeSize(member) >= 32)
        members.numbers.push_back(member);
    if (!pointee.isNull() && !pointee->isFunctionType()) {
        members.pointers.push_back(member);
        members.hasEnd |= !pointee.isConstQualified() && isEnd(field.getName());
    }
    return true;
}

/* An allocator may stand beside the block. */
static QualType blockAmong(const Members &members) {
    for (QualType pointer : members.pointers)
        if (!pointer->getPointeeType()->isRecordType())
            return pointer;
    return members.pointers.front();
}

/* Other parts of it stand elsewhere. */
static bool isDerived(const RecordDecl &record) {
    auto *type = dyn_cast<CXXRecordDecl>(&record);
    return type && (type->getNumBases() > 0 || type->isPolymorphic());
}

QualType blockOf(const ASTContext &context, QualType type) {
    static constexpr size_t MostNumbers = 6; // a date with the name of its zone has more
    const RecordDecl *record =
        type->isStructureOrClassType() ? type->castAs<RecordType>()->getDecl() : nullptr;
    record = record ? record->getDefinition() : nullptr;
    if (!record || record->isInvalidDecl() || isDerived(*record) || type->isDependentType() ||
        context.getTypeSize(type) > 512)
        return {};
    Members members;
    for (const FieldDecl *field : record->fields())
        if (!take(context, *field, type, members))
            return {};
    bool hasTwo = llvm::any_of(members.numbers,
                               [&](QualType number) { return llvm::count(members.numbers, number) > 1; });
    bool isCounted = hasTwo && members.numbers.size() <= MostNumbers && !members.pointers.empty() &&
                     members.pointers.size() <= 2;
    bool isBuffer = isCounted || areEnds(members);
    return isBuffer ? blockAmong(members) : QualType();
}

} // namespace allocsite
