/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of functions and files. Debug info, where present, has precedence over symbols. */
#ifndef ALLOCSITE_BASE_NAMES_H
#define ALLOCSITE_BASE_NAMES_H

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <string>
#include <unordered_map>

namespace allocsite {

/* The names of a function. Demangled on first use, because most names are compared only by their symbol. */
class FunctionName {
  public:
    std::string symbol; // hashed into the stable hash: one per overload and instantiation

    FunctionName() = default;
    FunctionName(std::string symbol, llvm::StringRef written);
    const std::string &shown() const; // demangled
    const std::string &plain() const; // without parameters and template arguments, as in a call

  private:
    std::string written; // name in the source; used if the symbol is not mangled
    mutable std::string shownOnce, plainOnce;
};

/* Remembers the symbol of each function. Below -g, debug info has no linkage names, and after inlining the
 * function may be gone. So symbols are noted before the optimizer runs. Lives as long as the compilation. */
class Names {
  public:
    void note(const llvm::Function &function);
    const FunctionName &of(const llvm::DISubprogram &subprogram);
    FunctionName of(const llvm::Function &function) const;

    /* Uses the function's debug info if it has any. */
    FunctionName nameOf(const llvm::Function &function);

  private:
    llvm::DenseMap<const llvm::DISubprogram *, std::string> symbols;
    /* of() returns references: an unordered_map keeps its elements in place. */
    std::unordered_map<const llvm::DISubprogram *, FunctionName> names;
};

/* Prefix of the function that a module calls instead of a listed function defined elsewhere
 * (find/listed_calls.cpp). */
constexpr const char *ListedPrefix = "__allocsite_listed.";

/* The symbol as the linker sees it: without the "\1" that clang puts before an asm label. */
llvm::StringRef symbolOf(const llvm::Function &function);

/* The path with which the compiler opened the file, after -ffile-prefix-map. */
std::string pathOf(const llvm::DIFile *file);

} // namespace allocsite

#endif
