/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The calls of a module as its source has them, and the types that they allocate. */
#ifndef ALLOCSITE_SITE_TYPE_TABLE_H
#define ALLOCSITE_SITE_TYPE_TABLE_H

#include "base/names.h"
#include "find/find.h"
#include "pass/pass.h"

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

/* Filled before the optimizer starts, while clang still has its AST and every variable its place in memory,
 * and asked when the sites are made. */
class TypeTable {
  public:
    /* All calls of one function, with their ordinals in place. */
    void note(llvm::ArrayRef<AllocatorCall> calls, Names &names);

    /* The allocator that the source calls there: LLVM makes calloc of malloc and memset, malloc of a realloc
     * of nothing, strdup of strndup. what: that of the call which is there now. */
    const allocator *written(const llvm::DILocation &location, const allocator &what, unsigned ordinal,
                             Names &names) const;

    /* callee: its symbol. A call that the optimizer made of another one has the type of that one. Empty:
     * unknown. */
    std::string of(const llvm::DILocation &location, const std::string &callee, unsigned ordinal,
                   Names &names) const;

  private:
    /* Symbol of the function that the call stands in, line, column. */
    using Position = std::tuple<std::string, unsigned, unsigned>;
    struct Entry {
        std::string callee;
        unsigned ordinal;
        std::string type;
    };
    std::map<Position, std::vector<Entry>> entries;

    static Position positionOf(const llvm::DILocation &location, Names &names);
};

/* All that is noted before the optimizer starts and asked after it: lives as long as the compilation. */
struct Notes {
    Names names;
    TypeTable types;
    std::vector<FunctionFlags> functions;
    bool isOneSection = false; // for all functions of the object file, as far as is known
};

/* Empty: unknown. */
std::string typeOf(const AllocatorCall &call, Notes &notes);

/* For a call that allocates blocks of the one and of the other: `A or B`, by the alphabet. Behind three names
 * `...` stands for all further ones. */
std::string eitherType(const std::string &a, const std::string &b);

/* No more notes follow: clang can let go of its AST. */
void finishNoting(Notes &notes);

/* ---- Types where nobody has seen the AST (debug_types.cpp): by the debug info of the variable, the field or
 * the result that a block is stored to, or if there is none, of the callee's result. Holds before the
 * optimizer only. */

/* The types of a function's variables, by their place in memory. */
using Variables = llvm::DenseMap<const llvm::Value *, const llvm::DIType *>;
Variables findVariables(llvm::Function &function);

/* Empty: unknown. Spelled as plugin/types/types.h says, but that C++ template arguments are all there. */
std::string typeByDebugInfo(const llvm::CallBase &call, const Variables &variables);

} // namespace allocsite

#endif
