/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What functions, files and types are called, from debug info where there is some. */
#ifndef ALLOCSITE_SITE_NAMES_H
#define ALLOCSITE_SITE_NAMES_H

#include "site/type_table.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <string>

namespace allocsite {

struct FunctionName {
    std::string symbol; // what the stable hash is made of: one per overload and instantiation
    std::string shown;  // demangled
    std::string plain;  // the same without parameters and template arguments, as a call of it is written
};

/* Below -g debug info has no linkage names, and after inlining the function itself is gone. So what every
 * function was called is noted before the optimizer starts; the notes live as long as the compilation. */
class Names {
  public:
    TypeTable types;

    void note(const llvm::Function &function);
    const FunctionName &of(const llvm::DISubprogram &subprogram);
    FunctionName of(const llvm::Function &function) const;

  private:
    llvm::DenseMap<const llvm::DISubprogram *, std::string> symbols;
    llvm::DenseMap<const llvm::DISubprogram *, FunctionName> names;
};

/* The path of a file as the compiler would open it, prefix maps applied. */
std::string pathOf(const llvm::DIFile *file);

} // namespace allocsite

#endif
