/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Wrappers: functions that hand on a block of an allocator, so that the line to bill is their caller's. */
#ifndef ALLOCSITE_WRAP_WRAPPERS_H
#define ALLOCSITE_WRAP_WRAPPERS_H

#include "find/find.h"
#include "find/lists.h"

#include <llvm/IR/DebugInfoMetadata.h>
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
    bool isLibrary = false;  // of the C++ standard library, which hands on all
    bool isPossible = false; // if what it calls turns out to allocate: only the linker knows
    bool keepsLine = false;  // who comes without a site has the line in it: growers, what is not declared so
    bool isOffset = false; // what it returns lies behind something of its own: the block's type says nothing
    bool isHeld = false;   // what it returns, if anything, is not the block: its type says nothing either
    bool isInside = false; // what it allocates is not what it returns, but for its own use
};

/* Finds the wrappers of a module and writes them into it (wrapper_search.cpp). */
void findWrappers(llvm::Module &module, const Lists &lists);

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

    /* As a string attribute of the function and as metadata that goes by the subprogram, which inlining
     * leaves. One of the C++ standard library has only the former: it is known by its name, wherever it is
     * inlined. own: the calls in it that are not handed on. */
    static void write(llvm::Function &function, const Wrapper &wrapper, bool isNamed,
                      llvm::ArrayRef<llvm::DILocation *> own);
    static void writeWhereInlined(llvm::Function &function, const Wrapper &wrapper, bool isNamed,
                                  llvm::ArrayRef<llvm::DILocation *> own);
    static void erase(llvm::Module &module);

  private:
    /* By what they say: a function that is cloned gets a subprogram of its own. */
    using Key = std::tuple<const llvm::DIFile *, unsigned, llvm::StringRef, llvm::StringRef>;
    std::map<Key, Wrapper> known;
    std::set<std::tuple<Key, unsigned, unsigned>> own; // line and column of calls that are not handed on

    static Key keyOf(const llvm::DISubprogram &subprogram);
};

/* The calls of allocators and wrappers in a function, in the order of its code. A musttail call that need not
 * allocate is left alone: nobody would take the site that is handed over for it. */
llvm::SmallVector<AllocatorCall, 8> findAllocatorCalls(llvm::Function &function);

/* A call of or by the C++ standard library, whose caller's callers are the sites. */
bool isLibraryCall(const AllocatorCall &call);

/* Whether the callee allocates for its own use, on behalf of the line. */
bool allocatesInside(const AllocatorCall &call);

/* Whether the callee makes the block grow that something holds which it is given, and does not return it. */
bool isHeld(const AllocatorCall &call);

/* Whether a function that allocates for its own use is given this one to call. name: it, or a cast of it. */
bool isCalledBack(const llvm::Value &name);

/* The kind of the callee. A call by a pointer is taken to allocate, if it is not known to free. */
allocsite_kind kindOf(const AllocatorCall &call);

} // namespace allocsite

#endif
