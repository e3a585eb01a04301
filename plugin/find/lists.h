/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Descriptions of functions by the user: lists (-allocsite-list=FILE) and attributes in the source. Also the
 * instrumentation of the custom allocators among them. */
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

/* The description of a function, and its own source location. */
struct Description {
    listed_function function;
    std::string file;
    unsigned line;
    bool isPattern; // matched by a pattern, which may not mean this function
};

/* Reads the lists, once per process, and the module's attributes. Reports errors as errors of the
 * compilation. */
class Lists {
  public:
    explicit Lists(llvm::Module &module);

    std::optional<Description> of(const llvm::Function &function) const;

  private:
    llvm::DenseMap<const llvm::Function *, Description> attributes;
};

/* Returns whether code in this source gets no sites. False before the lists are read. */
bool isIgnoredSource(const llvm::DIFile *file);

/* Returns whether the list ignores the type; its blocks are then shown without a type. */
bool isIgnoredType(const std::string &name);

/* Prints `FILE:LINE: error: allocsite: MESSAGE` and makes the compilation fail. line 0: the file as a
 * whole. */
void reportError(llvm::LLVMContext &context, llvm::StringRef file, unsigned line, const llvm::Twine &message);

/* Reports a warning or an error of the compilation. */
void reportDiagnostic(llvm::LLVMContext &context, llvm::DiagnosticSeverity severity,
                      const llvm::Twine &message);

/* Makes custom allocators report the blocks that they allocate and free. Runs before the optimizer.
 * Instruments the definition and not its calls, so that method tables and calls through pointers work, and
 * inlining copies the code. Calls are instrumented only if the definition in another module is not
 * (listed_calls.cpp). A report of a block is a call of an allocator with an empty callee (allocators.h), and
 * gets a site like all others. */
void instrumentCustom(llvm::Module &module, const Lists &lists);

/* ---- Functions that are defined elsewhere (listed_calls.cpp). */

/* Defines the marker by which other modules know that the definition is instrumented. */
void markInstrumented(llvm::Function &function);

/* Makes the module call another function instead of this one. Returns the inner function, which only calls
 * this one and is to be instrumented. */
llvm::Function &replaceListed(llvm::Function &function);

/* After the instrumentation: names the sites in `inner` after the function. */
void nameListed(llvm::Function &inner, const llvm::Function &function);

/* Attribute of these calls; its value is the name. */
constexpr const char *ListedAttribute = "allocsite-listed";

} // namespace allocsite

#endif
