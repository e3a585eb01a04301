/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "types/buffer.h"

#include <clang/AST/DeclCXX.h>

using namespace clang;

namespace allocsite {

struct Members {
    llvm::SmallVector<QualType, 4> numbers, pointers;
};

/* False: there are others than numbers and pointers elsewhere. */
static bool take(const ASTContext &context, const FieldDecl &field, QualType whole, Members &members) {
    QualType member = field.getType().getCanonicalType(), pointee = member->getPointeeType();
    bool isOther = member->isArrayType() || member->isRecordType() || field.isBitField();
    if (isOther || (!pointee.isNull() && context.hasSameUnqualifiedType(pointee, whole)))
        return false;
    if (member->isIntegerType() && context.getTypeSize(member) >= 32)
        members.numbers.push_back(member);
    if (!pointee.isNull() && !pointee->isFunctionType())
        members.pointers.push_back(member);
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
    bool isBuffer = hasTwo && !members.pointers.empty() && members.pointers.size() <= 2;
    return isBuffer ? blockAmong(members) : QualType();
}

} // namespace allocsite
