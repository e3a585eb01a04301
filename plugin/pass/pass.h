/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pass-through functions: the line of what they allocate is sought among their callers. The flag is a default
 * of the reader's; nothing here changes where an allocation is counted.
 *
 * A function passes through if every pointer that it returns, or stores in memory that it was handed, is
 *  - a block: from an allocator, or from a function that passes through as well;
 *  - null, or one of its own arguments;
 * and at least one is a block. An attribute (malloc, alloc_size, annotate) or the user's list says the same
 * of a function whatever its body does. Code of libraries is flagged, too. */
#ifndef ALLOCSITE_PASS_PASS_H
#define ALLOCSITE_PASS_PASS_H

#include "find/find.h"
#include "find/lists.h"

#include <llvm/ADT/SetVector.h>
#include <map>
#include <string>
#include <vector>

namespace allocsite {

/* One struct allocsite_function (rt/format.h). */
struct FunctionFlags {
    std::string symbol, function, file, depends; // empty: none
    unsigned flags;
};

/* The attribute of functions that pass through, or may, and of library code. */
constexpr const char *PassesAttribute = "allocsite-passes";

/* Of a module that the optimizer has not touched, with custom allocators instrumented. Sets PassesAttribute.
 */
std::vector<FunctionFlags> findFunctionFlags(llvm::Module &module, const Lists &lists,
                                             const Reaching &reaching, Names &names);

/* ---- The pointers that a function hands out (handed_out.cpp). */

struct Pointers {
    bool hasBlock = false;                                 // of an allocator
    bool isOther = false;                                  // neither a block, null, nor an argument
    uint64_t arguments = 0;                                // by their bits
    llvm::SmallSetVector<const llvm::Function *, 4> calls; // a block, if these pass through

    void add(const Pointers &others);
    bool isOnlyArguments() const { // or null
        return !hasBlock && !isOther && calls.empty();
    }
};

/* What is known of the functions of a module. Locals are followed in memory (alloca), as clang makes them. */
class HandedOut {
  public:
    struct Of {
        Pointers returned, stored;
        bool isComplete = false; // false: under way, of a function that calls itself
    };
    const Of &of(const llvm::Function &function);

  private:
    std::map<const llvm::Function *, Of> known;
};

} // namespace allocsite

#endif
