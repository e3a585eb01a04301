/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The identity of a site: decides which allocator calls in the IR are one call in the source. */
#ifndef ALLOCSITE_SITE_SITE_H
#define ALLOCSITE_SITE_SITE_H

#include "site/source_location.h"
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

struct Site {
    SourceLocation at;
    llvm::SmallVector<SourceLocation, 4> callers; // innermost first; empty: not inlined
    std::string callee;                           // name in the source
    allocsite_kind kind;
    unsigned ordinal; // among the calls at one source location (two in one macro)
    std::string type; // type of the blocks; empty: unknown. Not part of the identity

    bool operator==(const Site &other) const;
};

/* Sites are compared by their fields. Optimizers clone debug locations, so copies of one call may have
 * different locations. */
Site siteOf(const AllocatorCall &call, Notes &notes);

uint64_t stableHash(const Site &site);

/* ---- The site table of rt/format.h, written into a module (table.cpp). */

/* Returns whether the module is the input of an LTO link. */
bool isLTOPreLink(const llvm::Module &module);

class Table {
  public:
    Table(llvm::Module &module, bool isOneSection);

    /* Emits the descriptors of one function. Returns pointers to the descriptors of `sites`, in their
     * order. */
    llvm::SmallVector<llvm::Constant *, 8> add(llvm::Function &function, llvm::ArrayRef<Site> sites);

    /* Merges the descriptors of all functions that share a section into one array. Called when all functions
     * are rewritten. Each array would otherwise be a section, whose header and symbol take more space in the
     * object file than five descriptors. */
    void join();

    /* Emits the records of flagged functions for allocsite-dump. */
    void addFunctions(llvm::ArrayRef<FunctionFlags> functions);

    /* Emits the types that callers of wrappers know, also in one section. */
    void addCalls(llvm::ArrayRef<CallType> calls);

  private:
    using Pair = std::pair<llvm::GlobalVariable *, llvm::GlobalVariable *>;
    using FrameKey = std::tuple<llvm::GlobalVariable *, llvm::GlobalVariable *, unsigned, unsigned>;

    llvm::Module &module;
    llvm::LLVMContext &context;
    std::string moduleId;
    std::string mainFile;        // path of the compiled file, in the form of SourceLocation::file
    uint64_t referencedSize = 0; // size in bytes of everything that descriptors refer to
    bool isOneSection;
    std::vector<std::pair<llvm::GlobalVariable *, std::vector<Site>>>
        pendingArrays; // arrays that join() describes
    llvm::StructType *siteType, *frameType, *pairType, *functionType, *callType;
    llvm::StringMap<llvm::GlobalVariable *> strings;
    std::map<Pair, llvm::GlobalVariable *> pairs;
    std::map<FrameKey, llvm::GlobalVariable *> frames;

    llvm::GlobalVariable *string(const std::string &text);
    llvm::GlobalVariable *unmergedString(const std::string &text);
    llvm::GlobalVariable *pair(llvm::GlobalVariable *first, llvm::GlobalVariable *second, const char *name);
    llvm::GlobalVariable *scope(const SourceLocation &place);
    llvm::GlobalVariable *frame(llvm::ArrayRef<SourceLocation> callers);
    llvm::Constant *distance(llvm::GlobalVariable *to, llvm::GlobalVariable *from, llvm::Type *type,
                             llvm::ArrayRef<unsigned> path);
    llvm::Constant *function(const FunctionFlags &known, llvm::GlobalVariable *array, unsigned index);
    llvm::Constant *call(const CallType &known, llvm::GlobalVariable *array, unsigned index);
    bool isJoined() const;
    llvm::Constant *descriptor(const Site &site, const Site &leader, llvm::GlobalVariable *array,
                               unsigned index);
    llvm::GlobalVariable *shared(llvm::StructType *type, const llvm::Twine &name);
    llvm::Constant *number(unsigned bits, uint64_t value);
    void group(llvm::GlobalVariable &array, llvm::Function &function);
    llvm::GlobalVariable *declare(size_t sites, const llvm::Twine &name);
    void describe(llvm::GlobalVariable &array, llvm::ArrayRef<Site> sites);
    bool isInSharedSection(const llvm::Function &function) const;
    llvm::Function *anyInSection() const;
};

} // namespace allocsite

#endif
