/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "site/site.h"

#include "base/hash.h"
#include "base/settings.h"
#include "find/find.h"
#include "find/lists.h"
#include "format.h"
#include "types/types.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <optional>
#include <tuple>

using namespace llvm;

namespace allocsite {

bool Place::operator==(const Place &other) const {
    return std::tie(symbol, file, line, column) ==
           std::tie(other.symbol, other.file, other.line, other.column);
}

bool Site::operator==(const Site &other) const {
    return callee == other.callee && ordinal == other.ordinal && at == other.at && callers == other.callers;
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
    return {name.shown(), hashedName(*subprogram, name),           pathOf(location.getFile()),
            line,         line ? line - subprogram->getLine() : 0, location.getColumn()};
}

/* Code that has no location still stands in a function. */
static Place placeOf(const Function &function, Names &names) {
    if (const DISubprogram *subprogram = function.getSubprogram()) {
        const FunctionName &name = names.of(*subprogram);
        return {name.shown(), hashedName(*subprogram, name), pathOf(subprogram->getFile()), 0, 0, 0};
    }
    FunctionName name = names.of(function);
    return {name.shown(), name.symbol, function.getParent()->getSourceFileName(), 0, 0, 0};
}

/* Of a pointer that has no name. */
static constexpr const char *ByPointer = "by pointer";

static std::string pointerCalled(const DILocation *location, unsigned ordinal, Notes &notes) {
    std::string name = location ? notes.types.pointerAt(*location, ordinal, notes.names) : "";
    return name.empty() ? ByPointer : name;
}

/* The callee alone, with no regard to who calls. */
static Site requestOf(const AllocatorCall &found, Notes &notes) {
    Site site = {};
    const DILocation *location = found.call->getDebugLoc().get();
    site.kind = kindOf(found);
    site.ordinal = ordinalOf(found);
    Attribute listed = found.call->getFnAttr(ListedAttribute);
    if (listed.isValid()) {
        site.callee = listed.getValueAsString().str();
    } else if (found.what && location) {
        const allocator *written = notes.types.written(*location, *found.what, site.ordinal, notes.names);
        site.callee = written->callee;
        site.kind = written->kind;
    } else if (found.what) {
        site.callee = found.what->callee;
    } else if (found.callee) {
        const char *inside = knownInside(*found.callee);
        site.callee = inside ? inside : notes.names.nameOf(*found.callee).plain();
        if (allocatesInside(found) || Wrappers::of(*found.callee)->isPossible)
            site.possible = symbolOf(*found.callee).str();
    } else if (!isLibraryCall(found)) {
        site.callee = pointerCalled(location, site.ordinal, notes);
    }
    return site;
}

/* Of several wrappers that call one another the outermost one that tells a type has the last word. */
static void takeType(Site &site, const DILocation &location, const Wrapper &wrapper,
                     const std::string &callee, Notes &notes) {
    ToldType told = notes.types.of(location, callee, site.ordinal, notes.names);
    std::string type = typeBy(told, wrapper.isOffset ? "" : site.type);
    if (type != site.type)
        site.holder.clear();
    site.type = std::move(type);
}

/* A line with what stands there, on the way out. */
struct Billed {
    const DILocation *location;
    Site site;
    const FunctionName *callee; // null: that of the site

    const DILocation *set(Site &to) const {
        to = site;
        if (callee)
            to.callee = callee->plain();
        return location;
    }
};

/* Goes outwards as long as what stands there is a wrapper or a library. Where that calls the
 * program's code by a pointer, the last line of the program is as far out as anybody can name. */
static const DILocation *lift(const DILocation *location, Site &site, const Wrappers &wrappers,
                              Notes &notes) {
    Billed now = {location, site, nullptr};
    std::optional<Billed> programs;
    for (;;) {
        const FunctionName &function = notes.names.of(*now.location->getScope()->getSubprogram());
        const Wrapper *wrapper = wrappers.handingOn(*now.location);
        bool isLibrary = options().lift && isOfLibrary(*now.location, function);
        if (!wrapper && !isLibrary)
            return now.set(site);
        now.site.isHandedOn = true;
        if (!isLibrary)
            programs = now;
        const DILocation *caller = now.location->getInlinedAt();
        if (!caller)
            break;
        now.site.isHandedOn = false;
        now.callee = &function;
        now.site.ordinal = ordinalOf(*caller);
        bool isGivenBack = now.site.kind == ALLOCSITE_FREE && wrapper && wrapper->kind == ALLOCSITE_ALLOC;
        if (!isLibrary && !isGivenBack) { // as where a constructor throws
            now.site.kind = wrapper->kind;
            takeType(now.site, *caller, *wrapper, function.symbol, notes);
        }
        now.location = caller;
    }
    if (programs)
        return programs->set(site);
    now.site.isOnlyLibrary = true;
    return now.set(site);
}

static void setPlace(Site &site, const DILocation *location, Names &names) {
    if (isIgnoredType(site.type))
        site.type.clear(), site.holder.clear();
    site.at = placeOf(*location, names);
    while ((location = location->getInlinedAt()))
        site.callers.push_back(placeOf(*location, names));
}

Site siteOf(const AllocatorCall &found, const Wrappers &wrappers, Notes &notes) {
    Site site = requestOf(found, notes);
    const DILocation *location = found.call->getDebugLoc().get();
    if (!location) {
        site.isHandedOn = true; // as far as anybody knows
        site.at = placeOf(*found.call->getFunction(), notes.names);
        if (site.callee.empty())
            site.callee = notes.names.nameOf(*found.call->getFunction()).plain();
        return site;
    }
    if (site.callee.empty())
        site.callee = notes.names.of(*location->getScope()->getSubprogram()).plain();
    site.type = typeOf(found, notes, site.holder);
    setPlace(site, lift(location, site, wrappers, notes), notes.names);
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
