/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds pass-through functions, whose allocations are attributed to their callers. The flag is a default for
 * the reader; it does not change how an allocation is counted.
 *
 * A function passes through if every pointer that it returns, or stores in memory that it received, is
 *  - a block from an allocator, or from another function that passes through;
 *  - null, or one of its own arguments;
 * and at least one is a block. An attribute (malloc, alloc_size, annotate) or the user's list declares this
 * for a function whatever its body does. Library code is flagged, too. */
#ifndef ALLOCSITE_PASS_PASS_H
#define ALLOCSITE_PASS_PASS_H

#include "find/find.h"
#include "find/lists.h"

#include <llvm/ADT/SetVector.h>
#include <map>
#include <string>
#include <vector>

namespace allocsite {

/* One struct allocsite_function (rt/format.h). Empty strings: none. */
struct FunctionFlags {
    std::string symbol, function, file, depends;
    unsigned flags;
};

/* Attribute of functions that certainly or possibly pass through, and of library code. */
constexpr const char *PassesAttribute = "allocsite-passes";

class HandedOut;

/* Analyses an unoptimized module in which custom allocators are instrumented. Returns the flags for the site
 * table, and sets PassesAttribute. */
std::vector<FunctionFlags> findFunctionFlags(llvm::Module &module, const Lists &lists,
                                             const Reaching &reaching, HandedOut &bodies, Names &names);

/* ---- The pointers that a function returns or stores (handed_out.cpp). */

struct Pointers {
    bool hasBlock = false;  // may be a block from an allocator
    bool isOther = false;   // may be neither a block, null, nor an argument
    uint64_t arguments = 0; // bit n: may be argument n
    llvm::SmallSetVector<const llvm::Function *, 4>
        calls; // may be their result, which is a block if they pass through
    llvm::SmallSetVector<const llvm::CallBase *, 4> from; // the calls that return or store these blocks

    void add(const Pointers &others);
    bool isOnlyArguments() const { // or null
        return !hasBlock && !isOther && calls.empty();
    }
};

/* The results of a module's functions, computed on demand. Local variables are followed through memory
 * (alloca), as clang emits them. */
class HandedOut {
  public:
    struct Results {
        Pointers returned, stored;
        bool isComplete = false; // false: still being computed, as for a recursive function
    };
    const Results &of(const llvm::Function &function);

  private:
    std::map<const llvm::Function *, Results> known;
};

} // namespace allocsite

#endif
