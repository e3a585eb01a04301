/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The declarations in the AST that functions of the IR were made of. */
#ifndef ALLOCSITE_TYPES_ROOTS_H
#define ALLOCSITE_TYPES_ROOTS_H

#include "types/types.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Mangle.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallVector.h>

namespace allocsite {

/* Places of code: functions with a body, by the line that debug info gives them, and variables outside
 * of functions with an initialiser. No body is looked at: most are never asked for. */
struct Roots {
    llvm::DenseMap<unsigned, llvm::SmallVector<const clang::FunctionDecl *, 2>> functions;
    llvm::SmallVector<const clang::VarDecl *, 0> variables;
    llvm::DenseSet<const clang::FunctionDecl *> seen; // friends are found more than once
};

/* Adds all of a context's declarations that are in memory, instantiations of templates included. */
void addRoots(clang::ASTContext &context, const clang::DeclContext &scope, Roots &roots);
void addRoot(clang::ASTContext &context, const clang::Decl *declaration, Roots &roots);

/* Those that the call in question may stand in: one if the symbol tells, else all of that line or that hold
 * that line. */
llvm::SmallVector<const clang::Decl *, 2> findRoots(clang::ASTContext &context, clang::MangleContext &mangler,
                                                    const Roots &roots,
                                                    const allocsite_types_question &question);

} // namespace allocsite

#endif
