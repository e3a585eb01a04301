/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The allocator calls of a module as the source has them, and the types that they allocate. */
#ifndef ALLOCSITE_SITE_TYPE_TABLE_H
#define ALLOCSITE_SITE_TYPE_TABLE_H

#include "base/names.h"
#include "find/find.h"
#include "pass/pass.h"
#include "site/call_types.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace allocsite {

/* Filled before the optimizer runs, while clang still has its AST and every variable is in memory. Queried
 * when the sites are made. */
class TypeTable {
  public:
    /* Notes all allocator calls of one function. Their ordinals must be set. */
    void note(llvm::ArrayRef<AllocatorCall> calls, Names &names);

    /* Returns the allocator that the source calls at this location. LLVM turns malloc and memset into calloc,
     * realloc(NULL, n) into malloc, and strndup into strdup. row: the allocator of the present call. */
    const allocator *written(const llvm::DILocation &location, const allocator &row, unsigned ordinal,
                             Names &names) const;

    /* Returns the type of a call, or an empty string. callee: symbol in the source. A call that the optimizer
     * derived from another one has that call's type. */
    std::string of(const llvm::DILocation &location, const std::string &callee, unsigned ordinal,
                   Names &names) const;

  private:
    /* Symbol of the containing function, line, column. */
    using Position = std::tuple<std::string, unsigned, unsigned>;
    struct Entry {
        std::string callee;
        unsigned ordinal;
        std::string type;
    };
    std::map<Position, std::vector<Entry>> entries;

    static Position positionOf(const llvm::DILocation &location, Names &names);
};

/* Everything that is noted before the optimizer and used after it. Lives as long as the compilation. */
struct Notes {
    Names names;
    TypeTable types;
    std::vector<FunctionFlags> functions;
    std::vector<CallType> calls;
    bool isOneSection = false; // all functions of the object file share one section, as far as known
};

/* Returns the type that the call allocates, or an empty string. */
std::string typeOf(const AllocatorCall &call, Notes &notes);

/* Returns the type of a call that allocates both: `A or B` in alphabetical order. After 32 names, `...`
 * replaces the rest. */
std::string eitherType(const std::string &a, const std::string &b);

/* Ends the first stage, so that clang can free its AST. */
void finishNoting(Notes &notes);

/* ---- Questions to the AST half about calls of the unoptimized module. */

/* Number of calls of one callee at one position, so far or in total. */
using Counts = std::map<std::tuple<unsigned, unsigned, std::string>, unsigned>;
unsigned &countOf(Counts &counts, const llvm::CallBase &call, const std::string &callee);

struct ASTAnswer {
    bool isAvailable; // false: the AST half is not loaded
    std::string type; // empty: unknown
};

/* `ordinal` and `count`: position of the call among the calls of this callee at its source location, and
 * their number. */
ASTAnswer askAST(const llvm::CallBase &call, const std::string &callee, unsigned ordinal, unsigned count,
                 bool isOfUse);

/* ---- Types from debug info, when the AST is not available (debug_types.cpp): the type of the variable,
 * field or result that a block is stored to, else the callee's result type. Only valid before the optimizer
 * runs. */

/* The types of a function's variables, by their alloca. */
using Variables = llvm::DenseMap<const llvm::Value *, const llvm::DIType *>;
Variables findVariables(llvm::Function &function);

/* Returns the type, or an empty string. Spelled as plugin/types/types.h describes, except that default C++
 * template arguments are included. */
std::string typeByDebugInfo(const llvm::CallBase &call, const Variables &variables);

/* Returns the type that the result of another function than an allocator is used as, like askAST with isOfUse
 * (plugin/types/types.h). */
std::string useByDebugInfo(const llvm::CallBase &call, const Variables &variables);

} // namespace allocsite

#endif
