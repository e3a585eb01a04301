/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The identity of a site: which allocator calls in the IR are one call in the source. */
#ifndef ALLOCSITE_PLUGIN_SITE_H
#define ALLOCSITE_PLUGIN_SITE_H

#include <llvm/ADT/SmallVector.h>

#include <cstdint>
#include <string>

#include "find.h"
#include "names.h"

namespace allocsite {

struct Place {
    std::string function; // shown
    std::string symbol;   // hashed
    std::string file;
    unsigned line;
    unsigned offset; // of the line from the function's first: what an edit above does not change
    unsigned column;

    bool operator==(const Place &other) const;
};

struct Site {
    Place at;
    llvm::SmallVector<Place, 4> callers; // innermost first; empty: not inlined
    const allocator *what;
    unsigned ordinal; // among the calls of one place (two in one macro)

    bool operator==(const Site &other) const;
};

/* Compared by their fields: optimizers clone locations, so copies of one call need not share one. */
Site siteOf(const AllocatorCall &call, Names &names);

uint64_t stableHash(const Site &site);

/* Notes the ordinal of a call where it is not the first of its place. */
void setOrdinal(llvm::CallBase &call, unsigned ordinal);

} // namespace allocsite

#endif
