/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which structures are buffers, by debug info; types/spell.cpp says it by the syntax tree. */
#include "wrap/bodies.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>

using namespace llvm;

namespace allocsite {

static const DIType *withoutNames(const DIType *type) {
    auto *derived = dyn_cast_or_null<DIDerivedType>(type);
    while (derived &&
           (derived->getTag() == dwarf::DW_TAG_typedef || derived->getTag() == dwarf::DW_TAG_member ||
            derived->getTag() == dwarf::DW_TAG_const_type ||
            derived->getTag() == dwarf::DW_TAG_restrict_type)) {
        type = derived->getBaseType();
        derived = dyn_cast_or_null<DIDerivedType>(type);
    }
    return type;
}

/* nullptr: it is none. */
static const DIDerivedType *pointerIn(const DIType *type) {
    auto *pointer = dyn_cast_or_null<DIDerivedType>(withoutNames(type));
    return pointer && pointer->getTag() == dwarf::DW_TAG_pointer_type ? pointer : nullptr;
}

/* nullptr: it is no pointer, or one to no matter what. */
static const DIType *pointeeOf(const DIType *type) {
    const DIDerivedType *pointer = pointerIn(type);
    return pointer ? withoutNames(pointer->getBaseType()) : nullptr;
}

/* What an object consists of: functions, types and static members are none of it. */
static bool isPart(const DINode &node) {
    auto *member = dyn_cast<DIDerivedType>(&node);
    return member && (member->getTag() == dwarf::DW_TAG_inheritance ||
                      (member->getTag() == dwarf::DW_TAG_member && !member->isStaticMember()));
}

/* A class as well as a structure. */
static bool isSmallRecord(const DICompositeType &type) {
    bool isRecord =
        type.getTag() == dwarf::DW_TAG_structure_type || type.getTag() == dwarf::DW_TAG_class_type;
    return isRecord && type.getSizeInBits() && type.getSizeInBits() <= 512;
}

/* Two numbers of one type, how much is there and how much is used, and no way to another of its kind. */
static bool isBuffer(const DIType *type) {
    auto *record = dyn_cast_or_null<DICompositeType>(type);
    if (!record || !isSmallRecord(*record))
        return false;
    SmallVector<const DIType *, 4> numbers;
    unsigned pointers = 0;
    for (const DINode *node : record->getElements()) {
        if (!isPart(*node))
            continue;
        auto *member = cast<DIDerivedType>(node);
        bool isOther =
            member->isBitField() || member->isArtificial() || member->getTag() == dwarf::DW_TAG_inheritance;
        const DIType *inner = isOther ? nullptr : withoutNames(member);
        if (!inner || isa<DICompositeType>(inner) || pointeeOf(member) == record)
            return false;
        if (isa<DIBasicType>(inner) && inner->getSizeInBits() >= 32)
            numbers.push_back(inner);
        pointers += pointerIn(member) && !isa_and_nonnull<DISubroutineType>(pointeeOf(member));
    }
    bool hasTwo = any_of(numbers, [&](const DIType *number) { return count(numbers, number) > 1; });
    return hasTwo && pointers > 0 && pointers <= 2;
}

/* As it is declared; nullptr: not known. */
static const DIType *typeOf(const Argument &argument) {
    const Function &function = *argument.getParent();
    const DISubprogram *subprogram = function.getSubprogram();
    auto types = subprogram && subprogram->getType() ? subprogram->getType()->getTypeArray() : nullptr;
    bool isKnown = types && types.size() == function.arg_size() + 1 + function.isVarArg();
    return isKnown ? types[argument.getArgNo() + 1] : nullptr;
}

bool isBuffer(const Argument &argument) {
    return isBuffer(pointeeOf(typeOf(argument)));
}

bool isPlaceOfBlock(const Argument &argument) {
    const DIDerivedType *pointer = pointerIn(typeOf(argument));
    return pointer && (!pointer->getBaseType() || pointerIn(pointer->getBaseType()));
}

} // namespace allocsite
