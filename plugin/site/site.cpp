/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "site/site.h"

#include "base/library.h"
#include "base/settings.h"
#include "base/stable_hash.h"
#include "find/lists.h"
#include "wrap/library_search.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Metadata.h>
#include <tuple>

using namespace llvm;

namespace allocsite {

static constexpr const char *OrdinalMetadata = "allocsite.ordinal";

bool Place::operator==(const Place &other) const {
    return std::tie(symbol, file, line, column) ==
           std::tie(other.symbol, other.file, other.line, other.column);
}

bool Site::operator==(const Site &other) const {
    return callee == other.callee && ordinal == other.ordinal && at == other.at && callers == other.callers;
}

void setOrdinal(const AllocatorCall &found, unsigned ordinal) {
    CallBase &call = *found.call;
    LLVMContext &context = call.getContext();
    auto *number = ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), ordinal));
    if (found.what)
        call.setMetadata(OrdinalMetadata, MDNode::get(context, number));
    else
        call.setDebugLoc(call.getDebugLoc()->cloneWithDiscriminator(ordinal));
}

/* For profiling clang numbers what stands in one line by itself. */
static unsigned ordinalOf(const DILocation &location) {
    bool isOurs = !location.getScope()->getSubprogram()->getUnit()->getDebugInfoForProfiling();
    return isOurs ? location.getDiscriminator() : 0;
}

static unsigned ordinalOf(const AllocatorCall &found) {
    const MDNode *node = found.call->getMetadata(OrdinalMetadata);
    if (node)
        return mdconst::extract<ConstantInt>(node->getOperand(0))->getZExtValue();
    const DILocation *location = found.call->getDebugLoc().get();
    return location && !found.what ? ordinalOf(*location) : 0;
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

static FunctionName nameOf(const Function &function, Names &names) {
    const DISubprogram *subprogram = function.getSubprogram();
    return subprogram ? names.of(*subprogram) : names.of(function);
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

static CallPlace callPlaceOf(const DILocation &location, std::string callee, unsigned ordinal, Names &names) {
    return {names.of(*location.getScope()->getSubprogram()).symbol, location.getLine(), location.getColumn(),
            std::move(callee), ordinal};
}

void noteTypes(ArrayRef<AllocatorCall> calls, Names &names) {
    SmallVector<AllocatorCall, 8> located;
    SmallVector<CallPlace, 8> places;
    for (const AllocatorCall &found : calls) {
        const DILocation *location = found.call->getDebugLoc().get();
        if (!location || location->getLine() == 0 || isLibraryCall(found))
            continue;
        located.push_back(found);
        places.push_back(
            callPlaceOf(*location, nameOf(*found.callee, names).symbol, ordinalOf(found), names));
    }
    names.types.note(located, places);
}

allocsite_kind kindOf(const AllocatorCall &found) {
    if (!found.callee)
        return ALLOCSITE_ALLOC;
    return found.what ? found.what->kind : Wrappers::of(*found.callee)->kind;
}

/* What is called, with no regard to who calls. */
static Site requestOf(const AllocatorCall &found, Names &names) {
    Site site = {};
    site.kind = kindOf(found);
    if (found.what)
        site.callee = found.what->callee;
    else if (found.callee)
        site.callee = nameOf(*found.callee, names).plain;
    site.ordinal = ordinalOf(found);
    return site;
}

std::string typeOf(const AllocatorCall &found, Names &names) {
    if (isLibraryCall(found))
        return found.callee ? libraryTypeOf(*found.callee) : "";
    const DILocation *location = found.call->getDebugLoc().get();
    std::string symbol = nameOf(*found.callee, names).symbol;
    return location ? names.types.of(callPlaceOf(*location, symbol, ordinalOf(found), names)) : "";
}

/* Of several wrappers that call one another the outermost one that tells a type has the last word. */
static void noteType(Site &site, const DILocation &location, const std::string &callee, Names &names) {
    std::string type = names.types.of(callPlaceOf(location, callee, site.ordinal, names));
    if (!type.empty())
        site.type = std::move(type);
}

static bool isInLibrary(const DILocation &location, Names &names) {
    const DISubprogram *subprogram = location.getScope()->getSubprogram();
    return options().lift && library_has(names.of(*subprogram).symbol.c_str());
}

/* Goes outwards as long as what stands there is a wrapper or the C++ standard library. Where that calls the
 * program's code by a pointer, the last line of the program is as far out as anybody can name. */
static const DILocation *lift(const DILocation *location, Site &site, const Wrappers &wrappers,
                              Names &names) {
    const DILocation *programs = nullptr;
    Site programsSite = {};
    for (;;) {
        const FunctionName &function = names.of(*location->getScope()->getSubprogram());
        const Wrapper *wrapper = wrappers.handingOn(*location);
        bool isLibrary = isInLibrary(*location, names);
        if (!wrapper && !isLibrary)
            return location;
        site.isHandedOn = true;
        if (!isLibrary)
            programs = location, programsSite = site;
        const DILocation *caller = location->getInlinedAt();
        if (!caller)
            break;
        site.isHandedOn = false;
        site.callee = function.plain;
        site.ordinal = ordinalOf(*caller);
        if (!isLibrary) {
            site.kind = wrapper->kind;
            noteType(site, *caller, function.symbol, names);
        }
        location = caller;
    }
    if (!programs) {
        site.isOnlyLibrary = true;
        return location;
    }
    site = programsSite;
    return programs;
}

static void setPlace(Site &site, const DILocation *location, Names &names) {
    if (isIgnoredType(site.type))
        site.type.clear();
    site.at = placeOf(*location, names);
    while ((location = location->getInlinedAt()))
        site.callers.push_back(placeOf(*location, names));
}

std::optional<Site> siteOfHook(const CallBase &call, const Wrappers &wrappers, Names &names) {
    const DILocation *location = call.getDebugLoc().get();
    Site site = {};
    const DILocation *caller = location ? lift(location, site, wrappers, names) : nullptr;
    if (caller == location || site.isHandedOn)
        return std::nullopt;
    setPlace(site, caller, names);
    return site;
}

Site siteOf(const AllocatorCall &found, const Wrappers &wrappers, Names &names) {
    Site site = requestOf(found, names);
    const DILocation *location = found.call->getDebugLoc().get();
    if (!location) {
        site.isHandedOn = true; // as far as anybody knows
        site.at = placeOf(*found.call->getFunction(), names);
        if (site.callee.empty())
            site.callee = nameOf(*found.call->getFunction(), names).plain;
        return site;
    }
    if (site.callee.empty())
        site.callee = names.of(*location->getScope()->getSubprogram()).plain;
    site.type = typeOf(found, names);
    setPlace(site, lift(location, site, wrappers, names), names);
    return site;
}

static uint64_t hashPlace(uint64_t state, const Place &place) {
    state = stable_hash_text(state, place.symbol.data(), place.symbol.size());
    state = stable_hash_number(state, place.offset);
    return stable_hash_number(state, place.column);
}

uint64_t stableHash(const Site &site) {
    uint64_t state = stable_hash_text(stable_hash_begin(), site.callee.data(), site.callee.size());
    state = stable_hash_number(state, site.ordinal);
    state = hashPlace(state, site.at);
    for (const Place &caller : site.callers)
        state = hashPlace(state, caller);
    return stable_hash_end(state);
}

} // namespace allocsite
