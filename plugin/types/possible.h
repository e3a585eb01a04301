/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions without a body that could hand on blocks, or give them back, as far as their declarations tell.
 */
#ifndef ALLOCSITE_TYPES_POSSIBLE_H
#define ALLOCSITE_TYPES_POSSIBLE_H

#include "types/types.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Mangle.h>
#include <llvm/ADT/StringMap.h>

namespace allocsite {

/* The functions that a source file uses, but for members of std, by their symbols. */
using Declared = llvm::StringMap<const clang::FunctionDecl *>;

void addDeclared(clang::MangleContext &mangler, const clang::DeclContext &scope, Declared &declared);

/* The file that it stands in, as it was opened. */
const char *headerOf(const clang::ASTContext &context, const clang::FunctionDecl &function);

allocsite_types_declaration describe(const clang::ASTContext &context, const clang::FunctionDecl &function);

} // namespace allocsite

#endif
