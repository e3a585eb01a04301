/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The types that callers of wrappers know, for example at `p = xmalloc(n)` if xmalloc is in another file. The
 * reader uses such a type for a site without a type, if all functions in between hand the block on. */
#ifndef ALLOCSITE_SITE_CALL_TYPES_H
#define ALLOCSITE_SITE_CALL_TYPES_H

#include "find/find.h"
#include "pass/pass.h"
#include "site/source_location.h"

#include <llvm/IR/Module.h>
#include <string>
#include <vector>

namespace allocsite {

/* One struct allocsite_call (rt/format.h). */
struct CallType {
    SourceLocation at;
    std::string type; // empty: unknown
    unsigned flags;
};

struct Notes;

/* Returns one entry for each source location. The module must not be optimized yet, and its allocator calls
 * must have been noted (TypeTable::note). */
std::vector<CallType> findCallTypes(llvm::Module &module, const Reaching &reaching, HandedOut &bodies,
                                    Notes &notes);

} // namespace allocsite

#endif
