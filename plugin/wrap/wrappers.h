/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Wrappers: functions that hand on a block of an allocator, so that the line to bill is their caller's. */
#ifndef ALLOCSITE_WRAP_WRAPPERS_H
#define ALLOCSITE_WRAP_WRAPPERS_H

#include "format.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace allocsite {

/* Arguments are numbered from 1; 0: none, or not known. */
struct Wrapper {
    allocsite_kind kind = ALLOCSITE_ALLOC;
    allocsite_origin origin = ALLOCSITE_BY_ANALYSIS;
    uint8_t size = 0, count = 0, align = 0, pointer = 0;
    bool isLibrary = false; // of the C++ standard library, which hands on all (library_search.h)
};

/* What the list of allocators says of a function. */
struct Listing {
    bool isIgnored = false; // never a wrapper
    /* It hands on only the blocks of calls whose allocator (allocators.h) has an empty callee. The site of
     * such a call gets the name of the function that it stands in. */
    bool isCustom = false;
    Wrapper wrapper; // kind: also of a function that is lifted only
};
using ListLookup = llvm::function_ref<std::optional<Listing>(const llvm::Function &)>;

/* Finds the wrappers of a module and writes them into it, as a string attribute of each function and as
 * metadata that goes by the subprogram, which inlining leaves. */
void findWrappers(llvm::Module &module, ListLookup listed);

/* Whether whatever answers a call of this wrapper surely is the code seen here, which takes the site that its
 * caller has left. */
bool takesSite(const llvm::Function &wrapper);

/* The wrappers that were written into a module, for both stages. */
class Wrappers {
  public:
    explicit Wrappers(const llvm::Module &module);

    /* Nothing: it is none. */
    static std::optional<Wrapper> of(const llvm::Function &function);

    /* The wrapper that a location stands in, if what it calls there is what the wrapper hands on. */
    const Wrapper *handingOn(const llvm::DILocation &location) const;

    /* By their symbols; without custom allocators, of which a list knows more. */
    llvm::SmallVector<std::pair<std::string, Wrapper>, 8> all;

    static void erase(llvm::Module &module);

  private:
    /* By what they say: a function that is cloned gets a subprogram of its own. */
    using Key = std::tuple<const llvm::DIFile *, unsigned, llvm::StringRef, llvm::StringRef>;
    std::map<Key, Wrapper> known;
    std::set<std::tuple<Key, unsigned, unsigned>> own; // line and column of calls that are not handed on

    static Key keyOf(const llvm::DISubprogram &subprogram);
};

} // namespace allocsite

#endif
