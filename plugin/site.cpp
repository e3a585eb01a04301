/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "site.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Metadata.h>

#include <tuple>

#include "stable_hash.h"

using namespace llvm;

namespace allocsite {

static constexpr const char *OrdinalMetadata = "allocsite.ordinal";

bool Place::operator==(const Place &other) const {
    return std::tie(symbol, file, line, column) ==
           std::tie(other.symbol, other.file, other.line, other.column);
}

bool Site::operator==(const Site &other) const {
    return what == other.what && ordinal == other.ordinal && at == other.at && callers == other.callers;
}

void setOrdinal(CallBase &call, unsigned ordinal) {
    LLVMContext &context = call.getContext();
    auto *number = ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), ordinal));
    call.setMetadata(OrdinalMetadata, MDNode::get(context, number));
}

static unsigned ordinalOf(const CallBase &call) {
    const MDNode *node = call.getMetadata(OrdinalMetadata);
    return node ? mdconst::extract<ConstantInt>(node->getOperand(0))->getZExtValue() : 0;
}

/* Static functions of one name may stand in many files, so theirs tells them apart. */
static std::string hashedName(const DISubprogram &subprogram, const FunctionName &name) {
    if (!subprogram.isLocalToUnit() || !subprogram.getFile())
        return name.symbol;
    return subprogram.getFile()->getFilename().str() + ":" + name.symbol;
}

static Place placeOf(const DILocation &location, Names &names) {
    const DISubprogram *subprogram = location.getScope()->getSubprogram();
    const FunctionName &name = names.of(*subprogram);
    unsigned line = location.getLine();
    return {name.shown, hashedName(*subprogram, name),           pathOf(location.getFile()),
            line,       line ? line - subprogram->getLine() : 0, location.getColumn()};
}

/* Code that has no location still stands in a function. */
static Place placeOf(const Function &function, Names &names) {
    if (const DISubprogram *subprogram = function.getSubprogram()) {
        const FunctionName &name = names.of(*subprogram);
        return {name.shown, hashedName(*subprogram, name), pathOf(subprogram->getFile()), 0, 0, 0};
    }
    FunctionName name = names.of(function);
    return {name.shown, name.symbol, function.getParent()->getSourceFileName(), 0, 0, 0};
}

Site siteOf(const AllocatorCall &call, Names &names) {
    Site site = {{}, {}, call.what, ordinalOf(*call.call)};
    const DILocation *location = call.call->getDebugLoc().get();
    if (!location) {
        site.at = placeOf(*call.call->getFunction(), names);
        return site;
    }
    site.at = placeOf(*location, names);
    while ((location = location->getInlinedAt()))
        site.callers.push_back(placeOf(*location, names));
    return site;
}

static uint64_t hashPlace(uint64_t state, const Place &place) {
    state = stable_hash_text(state, place.symbol.data(), place.symbol.size());
    state = stable_hash_number(state, place.offset);
    return stable_hash_number(state, place.column);
}

uint64_t stableHash(const Site &site) {
    StringRef callee = site.what->callee;
    uint64_t state = stable_hash_text(stable_hash_begin(), callee.data(), callee.size());
    state = stable_hash_number(state, site.ordinal);
    state = hashPlace(state, site.at);
    for (const Place &caller : site.callers)
        state = hashPlace(state, caller);
    return stable_hash_end(state);
}

} // namespace allocsite
