/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "site/site.h"

#include "base/hash.h"
#include "find/find.h"
#include "find/lists.h"
#include "format.h"
#include "types/types.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <optional>
#include <tuple>

using namespace llvm;

namespace allocsite {

bool SourceLocation::operator==(const SourceLocation &other) const {
    return std::tie(symbol, file, line, column) ==
           std::tie(other.symbol, other.file, other.line, other.column);
}

bool Site::operator==(const Site &other) const {
    return callee == other.callee && ordinal == other.ordinal && at == other.at && callers == other.callers;
}

/* Static functions in several files may share a name, so their file is hashed as well. */
static std::string hashedName(const DISubprogram &subprogram, const FunctionName &name) {
    if (!subprogram.isLocalToUnit() || !subprogram.getFile())
        return name.symbol;
    return subprogram.getFile()->getFilename().str() + ":" + name.symbol;
}

SourceLocation locationOf(const DILocation &location, Names &names) {
    const DISubprogram *subprogram = location.getScope()->getSubprogram();
    const FunctionName &name = names.of(*subprogram);
    unsigned line = location.getLine();
    return {name.shown(), hashedName(*subprogram, name),           pathOf(location.getFile()),
            line,         line ? line - subprogram->getLine() : 0, location.getColumn()};
}

/* Code without a location still belongs to a function. */
static SourceLocation locationOf(const Function &function, Names &names) {
    if (const DISubprogram *subprogram = function.getSubprogram()) {
        const FunctionName &name = names.of(*subprogram);
        return {name.shown(), hashedName(*subprogram, name), pathOf(subprogram->getFile()), 0, 0, 0};
    }
    FunctionName name = names.of(function);
    return {name.shown(), name.symbol, function.getParent()->getSourceFileName(), 0, 0, 0};
}

static Site requestOf(const AllocatorCall &found, Notes &notes) {
    Site site = {};
    const DILocation *location = found.call->getDebugLoc().get();
    const allocator *written = found.row;
    site.ordinal = ordinalOf(*found.call);
    if (location)
        written = notes.types.written(*location, *written, site.ordinal, notes.names);
    Attribute listed = found.call->getFnAttr(ListedAttribute);
    site.callee = listed.isValid() ? listed.getValueAsString().str() : written->callee;
    site.kind = written->kind;
    return site;
}

Site siteOf(const AllocatorCall &found, Notes &notes) {
    Site site = requestOf(found, notes);
    const DILocation *location = found.call->getDebugLoc().get();
    if (!location) {
        site.at = locationOf(*found.call->getFunction(), notes.names);
        if (site.callee.empty())
            site.callee = notes.names.nameOf(*found.call->getFunction()).plain();
        return site;
    }
    if (site.callee.empty())
        site.callee = notes.names.of(*location->getScope()->getSubprogram()).plain();
    site.type = typeOf(found, notes);
    if (isIgnoredType(site.type))
        site.type.clear();
    site.at = locationOf(*location, notes.names);
    while ((location = location->getInlinedAt()))
        site.callers.push_back(locationOf(*location, notes.names));
    return site;
}

static uint64_t hashLocation(uint64_t state, const SourceLocation &place) {
    state = stable_hash_text(state, place.symbol.data(), place.symbol.size());
    state = stable_hash_number(state, place.offset);
    return stable_hash_number(state, place.column);
}

uint64_t stableHash(const Site &site) {
    uint64_t state = stable_hash_text(stable_hash_begin(), site.callee.data(), site.callee.size());
    state = stable_hash_number(state, site.ordinal);
    state = hashLocation(state, site.at);
    for (const SourceLocation &caller : site.callers)
        state = hashLocation(state, caller);
    return stable_hash_end(state);
}

} // namespace allocsite
