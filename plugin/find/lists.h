/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Descriptions that users give of their own functions: lists (-allocsite-list=FILE) and attributes in the
 * source; and the instrumentation of those that they say are custom allocators. */
#ifndef ALLOCSITE_FIND_LISTS_H
#define ALLOCSITE_FIND_LISTS_H

#include "base/allocator_list.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Module.h>
#include <optional>
#include <string>

namespace allocsite {

/* The description of a function, and where it stands. */
struct Description {
    listed_function function;
    std::string file;
    unsigned line;
    bool isGuess; // by a pattern that may have meant others
};

/* Reads the lists, once, and the module's attributes. Errors go to the compiler. */
class Lists {
  public:
    explicit Lists(llvm::Module &module);

    std::optional<Description> of(const llvm::Function &function) const;

  private:
    llvm::DenseMap<const llvm::Function *, Description> attributes;
};

/* Whether code that is written there gets no sites; false before the lists are read. */
bool isIgnoredSource(const llvm::DIFile *file);

/* Whether blocks of that type are told to be of an unknown one. */
bool isIgnoredType(const std::string &name);

/* FILE:LINE: error: allocsite: WHAT, and the compilation fails. line 0: of the file as a whole. */
void complain(llvm::LLVMContext &context, llvm::StringRef file, unsigned line, const llvm::Twine &what);

/* A warning or an error of the compilation. */
void tell(llvm::LLVMContext &context, llvm::DiagnosticSeverity severity, const llvm::Twine &what);

/* Has the definitions of custom allocators tell the runtime what they hand out and take back. Ahead of the
 * optimizer. The definition, not the call, so that tables of methods and calls through pointers work, and
 * inlining takes it along; calls of those that are defined elsewhere, as long as their definition does not do
 * it (listed_calls.cpp). The notice of a block is a call of an allocator with an empty callee (allocators.h),
 * which gets a site like all others. */
void instrumentCustom(llvm::Module &module, const Lists &lists);

/* ---- Of those that are defined elsewhere (listed_calls.cpp). */

/* Tells other modules that the definition is instrumented. */
void markInstrumented(llvm::Function &function);

/* Has the module use another function in the place of this one. Returns the one to instrument, which only
 * calls it. */
llvm::Function &replaceListed(llvm::Function &function);

/* When that is done: its notices of blocks are named after the function. */
void nameListed(llvm::Function &inner, const llvm::Function &function);

/* The attribute of such a call that has the name. */
constexpr const char *ListedAttribute = "allocsite-listed";

} // namespace allocsite

#endif
