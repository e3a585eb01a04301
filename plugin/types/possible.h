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

/* The functions of the program that a source file uses, by their symbols. */
using Declared = llvm::StringMap<const clang::FunctionDecl *>;

void addDeclared(clang::ASTContext &context, clang::MangleContext &mangler, const clang::DeclContext &scope,
                 Declared &declared);

allocsite_types_declaration describe(const clang::ASTContext &context, const clang::FunctionDecl &function);

} // namespace allocsite

#endif
