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

/* What a line tells of the type of its blocks. */
struct ToldType {
    std::string own;    // empty: unknown
    std::string holder; // the structure in which one comes back; empty: none does

    bool operator==(const ToldType &other) const {
        return own == other.own && holder == other.holder;
    }
};

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

    /* By names: a call in the source outlives the instruction, where the callee is inlined. callee: its
     * symbol. A call that the optimizer made of another one has the type of that one. */
    ToldType of(const llvm::DILocation &location, const std::string &callee, unsigned ordinal,
                Names &names) const;

    /* The name of the pointer that is called there; empty: it has none. */
    std::string pointerAt(const llvm::DILocation &location, unsigned ordinal, Names &names) const;

  private:
    /* Symbol of the function that the call stands in, line, column. */
    using Position = std::tuple<std::string, unsigned, unsigned>;
    struct Entry {
        std::string callee;
        unsigned ordinal;
        ToldType type;
        std::string pointer; // by which it is called
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

/* What a function of a library allocates for its own use: bytes, where the line allocates nothing else. */
constexpr const char *InsideLibrary = "bytes inside";

/* The type of a block by what its line tells, and by what is known of those within the callee: who names the
 * block's own type goes before who names the structure that holds it. */
std::string typeBy(const ToldType &told, const std::string &within);

/* Empty: unknown. holder: set to the structure that stands for a type which only another file may know. */
std::string typeOf(const AllocatorCall &call, Notes &notes, std::string &holder);

/* Once the calls' types are noted: notes with each wrapper, and each function of the C++ standard library
 * that is told its caller's site, the types of all blocks that it hands on, as an attribute. */
void noteTypesWithin(llvm::Module &module, Notes &notes);

/* As far as they are noted; empty: unknown. */
std::string typesWithin(const llvm::Function &function);

void eraseTypesWithin(llvm::Module &module);

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
