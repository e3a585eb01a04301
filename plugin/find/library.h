/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Code of libraries: the C++ standard library by its names, others by their headers or as the user names
 * them; and what clang makes of a class. No person would name a line in it as the one that allocates. */
#ifndef ALLOCSITE_FIND_LIBRARY_H
#define ALLOCSITE_FIND_LIBRARY_H

#include "base/names.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>

namespace allocsite {

/* Asks the half that sees the AST about a header that it has not been asked about yet: before the optimizer.
 */
bool isOfLibrary(const llvm::Function &function);
bool isOfLibrary(const llvm::DILocation &location, const FunctionName &name);

/* Whether it may allocate in a library that is not the language's own: a header of one declares it, and
 * not as one that throws nothing. Before the optimizer as well. */
bool mayAllocateInLibrary(const llvm::Function &function);

/* The C library's functions that return their first argument. */
bool returnsFirst(const llvm::Function &function);

/* The C library's functions that measure text. */
bool measuresText(const llvm::Function &function);

} // namespace allocsite

#endif
