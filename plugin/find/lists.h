/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What users say of their own functions: lists (-allocsite-list=FILE) and attributes in the source. */
#ifndef ALLOCSITE_FIND_LISTS_H
#define ALLOCSITE_FIND_LISTS_H

#include "base/allocator_list.h"
#include "wrap/wrappers.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>

namespace allocsite {

/* What is said of a function, and where. */
struct Said {
    listed_function function;
    std::string file;
    unsigned line;
    bool isGuess; // by a pattern that may have meant others
};

/* Reads the lists, once, and what the module's attributes say. Errors go to the compiler. */
class Lists {
  public:
    explicit Lists(llvm::Module &module);

    std::optional<Said> of(const llvm::Function &function) const;

    /* The same for whoever looks for wrappers. */
    std::optional<Listing> listing(const llvm::Function &function) const;

  private:
    llvm::DenseMap<const llvm::Function *, Said> attributes;
};

/* Whether code that is written there gets no sites; false before the lists are read. */
bool isIgnoredSource(const llvm::DIFile *file);

/* Whether blocks of that type are told to be of an unknown one. */
bool isIgnoredType(const std::string &name);

/* FILE:LINE: error: allocsite: WHAT, and the compilation fails. line 0: of the file as a whole. */
void complain(llvm::LLVMContext &context, llvm::StringRef file, unsigned line, const llvm::Twine &what);

} // namespace allocsite

#endif
