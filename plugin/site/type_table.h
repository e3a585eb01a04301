/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which types the calls of a module allocate. */
#ifndef ALLOCSITE_SITE_TYPE_TABLE_H
#define ALLOCSITE_SITE_TYPE_TABLE_H

#include "find/find.h"

#include <llvm/ADT/ArrayRef.h>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace allocsite {

/* A call in the source. By names: it outlives the instruction, where the callee is inlined. */
struct CallPlace {
    std::string function; // symbol of the function that it stands in
    unsigned line, column;
    std::string callee; // symbol
    unsigned ordinal;   // among the calls of this callee at this position
};

/* Filled before the optimizer starts, while clang still has its AST and every variable its place in memory,
 * and asked when the sites are made. */
class TypeTable {
  public:
    /* All calls of one function that have a line; `places[i]` is where `calls[i]` stands. */
    void note(llvm::ArrayRef<AllocatorCall> calls, llvm::ArrayRef<CallPlace> places);

    /* Empty: unknown. A call that the optimizer made of another one has the type of that one. */
    std::string of(const CallPlace &place) const;

  private:
    struct Entry {
        std::string callee;
        unsigned ordinal;
        std::string type;
    };
    std::map<std::tuple<std::string, unsigned, unsigned>, std::vector<Entry>> entries;
};

/* For a call that allocates blocks of the one and of the other: `A or B`, by the alphabet. Behind three names
 * `...` stands for all further ones. */
std::string eitherType(const std::string &a, const std::string &b);

/* No more notes follow: clang can let go of its AST. */
void finishNotingTypes();

} // namespace allocsite

#endif
