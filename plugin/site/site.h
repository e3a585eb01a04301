/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The identity of a site: which allocator calls in the IR are one call in the source. */
#ifndef ALLOCSITE_SITE_SITE_H
#define ALLOCSITE_SITE_SITE_H

#include "site/type_table.h"
#include "wrap/wrappers.h"

#include <cstdint>
#include <llvm/ADT/SmallVector.h>
#include <string>

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
    std::string callee;                  // as the programmer writes it
    allocsite_kind kind;
    unsigned ordinal;     // among the calls of one place (two in one macro)
    std::string possible; // the symbol of what could be a wrapper, if only that is known of the one called
    std::string type;     // of what is allocated; empty: unknown. Says nothing of which site it is
    std::string holder;   // that type, if it is the structure in which the block comes back; else empty
    bool isHandedOn;      // by the function itself, which is a wrapper: its caller's site goes first
    bool isOnlyLibrary;   // no code of the program is in the chain

    bool operator==(const Site &other) const;
};

/* Compared by their fields: optimizers clone locations, so copies of one call need not share one. A call of
 * an inlined wrapper's code is one of the outermost inlined wrapper, by the first code outside of them. */
Site siteOf(const AllocatorCall &call, const Wrappers &wrappers, Notes &notes);

uint64_t stableHash(const Site &site);

} // namespace allocsite

#endif
