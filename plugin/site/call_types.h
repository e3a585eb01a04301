/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The types that the callers of wrappers know: of `p = xmalloc(n)` in another file than xmalloc. The reader
 * takes such a type for a site that has none of its own, as far as the functions between hand the block on.
 */
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

/* Of a module that the optimizer has not touched, whose allocator calls have been noted. Calls that are one
 * place of the source are one. */
std::vector<CallType> findCallTypes(llvm::Module &module, const Reaching &reaching, HandedOut &bodies,
                                    Notes &notes);

} // namespace allocsite

#endif
