/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "debug_spell.h"

#include <llvm/BinaryFormat/Dwarf.h>

using namespace llvm;

namespace allocsite {

static bool isQualifier(unsigned tag) {
    return tag == dwarf::DW_TAG_const_type || tag == dwarf::DW_TAG_volatile_type ||
           tag == dwarf::DW_TAG_restrict_type || tag == dwarf::DW_TAG_atomic_type;
}

const DIType *withoutNames(const DIType *type) {
    while (auto *derived = dyn_cast_or_null<DIDerivedType>(type)) {
        if (derived->getTag() != dwarf::DW_TAG_typedef && !isQualifier(derived->getTag()))
            break;
        type = derived->getBaseType();
    }
    return type;
}

static bool isC(const DICompileUnit &unit) {
#if LLVM_VERSION_MAJOR >= 22
    DISourceLanguageName name = unit.getSourceLanguage();
    if (name.hasVersionedName())
        return name.getName() == dwarf::DW_LNAME_C;
    unsigned language = name.getName();
#else
    unsigned language = unit.getSourceLanguage();
#endif
    return language == dwarf::DW_LANG_C || language == dwarf::DW_LANG_C89 || language == dwarf::DW_LANG_C99 ||
           language == dwarf::DW_LANG_C11;
}

static std::string keywordOf(const DICompositeType &type, const Function &function) {
    const DISubprogram *subprogram = function.getSubprogram();
    if (!subprogram || !subprogram->getUnit() || !isC(*subprogram->getUnit()))
        return "";
    switch (type.getTag()) {
    case dwarf::DW_TAG_structure_type:
        return "struct ";
    case dwarf::DW_TAG_union_type:
        return "union ";
    default:
        return "enum ";
    }
}

/* Functions are no scope that could be named, nor are namespaces that the compiler looks through. */
static std::string scopeOf(const DIScope *scope) {
    if (auto *space = dyn_cast_or_null<DINamespace>(scope)) {
        std::string name = space->getName().empty() ? "(anonymous namespace)" : space->getName().str();
        return scopeOf(space->getScope()) + (space->getExportSymbols() ? "" : name + "::");
    }
    if (auto *type = dyn_cast_or_null<DICompositeType>(scope))
        return scopeOf(type->getScope()) + type->getName().str() + "::";
    return "";
}

/* A tag without a name is called by the typedef that names it. */
static std::string spellTag(const DICompositeType &type, StringRef alias, const Function &function) {
    if (type.getName().empty())
        return alias.empty() ? "" : scopeOf(type.getScope()) + alias.str();
    return keywordOf(type, function) + scopeOf(type.getScope()) + type.getName().str();
}

static std::string spellAs(const DIType *type, StringRef alias, const Function &function);

static std::string spellPointer(const DIDerivedType &pointer, const Function &function) {
    const DIType *to = pointer.getBaseType();
    std::string name = to ? spellAs(to, "", function) : "void";
    return name.empty() ? "" : name + (name.back() == '*' ? "*" : " *");
}

static std::string spellAs(const DIType *type, StringRef alias, const Function &function) {
    if (auto *composite = dyn_cast_or_null<DICompositeType>(type))
        return composite->getTag() == dwarf::DW_TAG_array_type ? spell(composite->getBaseType(), function)
                                                               : spellTag(*composite, alias, function);
    if (auto *basic = dyn_cast_or_null<DIBasicType>(type))
        return basic->getName().str();
    auto *derived = dyn_cast_or_null<DIDerivedType>(type);
    if (!derived)
        return "";
    if (derived->getTag() == dwarf::DW_TAG_pointer_type)
        return spellPointer(*derived, function);
    if (derived->getTag() == dwarf::DW_TAG_typedef)
        return spellAs(derived->getBaseType(), derived->getName(), function);
    if (!isQualifier(derived->getTag()))
        return "";
    std::string name = spellAs(derived->getBaseType(), alias, function);
    return derived->getTag() == dwarf::DW_TAG_const_type && !name.empty() ? "const " + name : name;
}

std::string spell(const DIType *type, const Function &function) {
    while (type && isQualifier(type->getTag()))
        type = cast<DIDerivedType>(type)->getBaseType();
    return spellAs(type, "", function);
}

} // namespace allocsite
