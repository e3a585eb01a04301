/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The identity of a site: which allocator calls in the IR are one call in the source. */
#ifndef ALLOCSITE_SITE_SITE_H
#define ALLOCSITE_SITE_SITE_H

#include "site/type_table.h"

#include <cstdint>
#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

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
    unsigned ordinal; // among the calls of one place (two in one macro)
    std::string type; // of what is allocated; empty: unknown. Says nothing of which site it is

    bool operator==(const Site &other) const;
};

/* Compared by their fields: optimizers clone locations, so copies of one call need not share one. */
Site siteOf(const AllocatorCall &call, Notes &notes);

uint64_t stableHash(const Site &site);

/* ---- The site table of rt/format.h, written into a module (table.cpp). */

/* Whether LTO goes on with the module. */
bool isLTOPreLink(const llvm::Module &module);

class Table {
  public:
    Table(llvm::Module &module, bool isOneSection);

    /* Emits the descriptors of one function; the result points at one for each of `sites`, in their order. */
    llvm::SmallVector<llvm::Constant *, 8> add(llvm::Function &function, llvm::ArrayRef<Site> sites);

    /* When all code is as it will be: has the descriptors of functions that stand in one section be one
     * array. Each array is a section, whose headers and symbol take more of an object file than five
     * descriptors. */
    void join();

    /* Emits the functions that pass through, for allocsite-dump. */
    void addFunctions(llvm::ArrayRef<FunctionFlags> functions);

  private:
    using Pair = std::pair<llvm::GlobalVariable *, llvm::GlobalVariable *>;
    using FrameKey = std::tuple<llvm::GlobalVariable *, llvm::GlobalVariable *, unsigned, unsigned>;

    llvm::Module &module;
    llvm::LLVMContext &context;
    std::string moduleId;
    std::string ownFile; // as places name the file that is compiled
    uint64_t reach = 0;  // bytes of all that descriptors name
    bool isOneSection;
    std::vector<std::pair<llvm::GlobalVariable *, std::vector<Site>>> joint; // without descriptors as yet
    llvm::StructType *siteType, *frameType, *pairType, *functionType;
    llvm::StringMap<llvm::GlobalVariable *> strings;
    std::map<Pair, llvm::GlobalVariable *> pairs;
    std::map<FrameKey, llvm::GlobalVariable *> frames;

    llvm::GlobalVariable *string(const std::string &text);
    llvm::GlobalVariable *ownString(const std::string &text);
    llvm::GlobalVariable *pair(llvm::GlobalVariable *first, llvm::GlobalVariable *second, const char *name);
    llvm::GlobalVariable *scope(const Place &place);
    llvm::GlobalVariable *frame(llvm::ArrayRef<Place> callers);
    llvm::Constant *distance(llvm::GlobalVariable *to, llvm::GlobalVariable *from, llvm::Type *type,
                             llvm::ArrayRef<unsigned> path);
    llvm::Constant *function(const FunctionFlags &known, llvm::GlobalVariable *array, unsigned index);
    bool isJoined() const;
    llvm::Constant *descriptor(const Site &site, const Site &leader, llvm::GlobalVariable *array,
                               unsigned index);
    llvm::GlobalVariable *shared(llvm::StructType *type, const llvm::Twine &name);
    llvm::Constant *number(unsigned bits, uint64_t value);
    void group(llvm::GlobalVariable &array, llvm::Function &function);
    llvm::GlobalVariable *declare(size_t sites, const llvm::Twine &name);
    void describe(llvm::GlobalVariable &array, llvm::ArrayRef<Site> sites);
    bool standsWithOthers(const llvm::Function &function) const;
    llvm::Function *anyInSection() const;
};

} // namespace allocsite

#endif
