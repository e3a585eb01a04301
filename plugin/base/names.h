/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The names of functions and files, from debug info where there is some. */
#ifndef ALLOCSITE_BASE_NAMES_H
#define ALLOCSITE_BASE_NAMES_H

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <string>
#include <unordered_map>

namespace allocsite {

/* Demangled when somebody asks: most functions that a call is looked up by are neither shown nor called. */
class FunctionName {
  public:
    std::string symbol; // what the stable hash is made of: one per overload and instantiation

    FunctionName() = default;
    FunctionName(std::string symbol, llvm::StringRef written);
    const std::string &shown() const; // demangled
    const std::string &plain() const; // without parameters and template arguments, as a call of it is written

  private:
    std::string written; // in the source, where the symbol is not mangled
    mutable std::string shownOnce, plainOnce;
};

/* Below -g debug info has no linkage names, and after inlining the function itself is gone. So what every
 * function was called is noted before the optimizer starts; the notes live as long as the compilation. */
class Names {
  public:
    void note(const llvm::Function &function);
    const FunctionName &of(const llvm::DISubprogram &subprogram);
    FunctionName of(const llvm::Function &function) const;

    /* From its debug info if it has some. */
    FunctionName nameOf(const llvm::Function &function);

  private:
    llvm::DenseMap<const llvm::DISubprogram *, std::string> symbols;
    std::unordered_map<const llvm::DISubprogram *, FunctionName> names; // which keeps them where they are
};

/* Before the symbol of a listed function, of what calls it where it is not defined (find/listed_calls.cpp).
 */
constexpr const char *ListedPrefix = "__allocsite_listed.";

/* The symbol as the linker sees it: without clang's mark of an asm label. */
llvm::StringRef symbolOf(const llvm::Function &function);

/* The path of a file as the compiler would open it, prefix maps applied. */
std::string pathOf(const llvm::DIFile *file);

} // namespace allocsite

#endif
