/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Searches of clang's AST. The first part finds the calls in a function's body and the types that they
 * allocate (calls.cpp). */
#ifndef ALLOCSITE_TYPES_AST_H
#define ALLOCSITE_TYPES_AST_H

#include "types/types.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Mangle.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringMap.h>
#include <string>
#include <vector>

namespace allocsite {

struct Call {
    unsigned line, column; // as in clang's debug info
    std::string callee;    // symbol; empty: unknown
    std::string type;      // for an allocator; empty: unknown
    std::string use;       // for another callee, the result of typeByUse (spell.h)
};

/* Returns the symbol of a function, without the prefix that marks an asm label. */
std::string symbolOf(clang::MangleContext &mangler, clang::GlobalDecl function);

/* Returns the calls that may return a block, in evaluation order. `root` is a function with a body, or a
 * variable with an initialiser. Functions inside it (lambdas, local classes) are not part of it. */
std::vector<Call> findCalls(clang::ASTContext &context, clang::MangleContext &mangler,
                            const clang::Decl *root);

/* ---- The declarations from which the functions of the IR were generated (roots.cpp). */

/* Declarations that contain code: functions with a body, by the line that debug info gives them, and
 * variables outside functions that have an initialiser. Bodies are not visited, because most are never asked
 * for. */
struct Roots {
    llvm::DenseMap<unsigned, llvm::SmallVector<const clang::FunctionDecl *, 2>> functions;
    llvm::SmallVector<const clang::VarDecl *, 0> variables;
    llvm::DenseSet<const clang::FunctionDecl *> visited; // friends are found more than once
    llvm::DenseMap<const clang::FunctionDecl *, std::vector<std::string>> symbols; // filled on demand
};

/* Adds all declarations of a scope that are in memory, including template instantiations. */
void addRoots(clang::ASTContext &context, const clang::DeclContext &scope, Roots &roots);
void addRoot(clang::ASTContext &context, const clang::Decl *declaration, Roots &roots);

/* Returns the declarations that may contain the call. If the symbol of a function matches, returns this
 * function alone. Otherwise returns all functions of the line and file, or for function_line 0 the variables
 * that cover the line of the call. */
llvm::SmallVector<const clang::Decl *, 2> findRoots(clang::ASTContext &context, clang::MangleContext &mangler,
                                                    Roots &roots, const allocsite_types_question &question);

} // namespace allocsite

#endif
