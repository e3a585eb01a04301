/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Source locations of calls. */
#ifndef ALLOCSITE_SITE_SOURCE_LOCATION_H
#define ALLOCSITE_SITE_SOURCE_LOCATION_H

#include "base/names.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <string>

namespace allocsite {

struct SourceLocation {
    std::string function; // as reports show it
    std::string symbol;   // as the stable hash uses it
    std::string file;
    unsigned line;
    unsigned offset; // of the line from the function's first line; does not change when code above the
                     // function does
    unsigned column;

    bool operator==(const SourceLocation &other) const;
};

SourceLocation locationOf(const llvm::DILocation &location, Names &names);

} // namespace allocsite

#endif
