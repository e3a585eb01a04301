/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is looked for in the AST. First the calls in a function's body, with what they allocate if they do
 * (calls.cpp). */
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
    unsigned line, column; // as clang's debug info has it
    std::string callee;    // symbol; empty: not known
    std::string type;      // if it is an allocator's; empty: unknown
    std::string use; // type that the call reveals if it is another function's; empty: its declaration does
};

/* The symbol without the mark of an asm label. */
std::string symbolOf(clang::MangleContext &mangler, clang::GlobalDecl function);

/* The calls that may return a block, in the order in which they are evaluated. `root` is a function with a
 * body, or a variable with an initialiser. Functions inside it (lambdas, local classes) are not part of it.
 */
std::vector<Call> findCalls(clang::ASTContext &context, clang::MangleContext &mangler,
                            const clang::Decl *root);

/* ---- The declarations that functions of the IR were made of (roots.cpp). */

/* Places of code: functions with a body, by the line that debug info gives them, and variables outside
 * of functions with an initialiser. No body is looked at: most are never asked for. */
struct Roots {
    llvm::DenseMap<unsigned, llvm::SmallVector<const clang::FunctionDecl *, 2>> functions;
    llvm::SmallVector<const clang::VarDecl *, 0> variables;
    llvm::DenseSet<const clang::FunctionDecl *> seen; // friends are found more than once
    llvm::DenseMap<const clang::FunctionDecl *, std::vector<std::string>> symbols; // of those asked for
};

/* Adds all of a context's declarations that are in memory, instantiations of templates included. */
void addRoots(clang::ASTContext &context, const clang::DeclContext &scope, Roots &roots);
void addRoot(clang::ASTContext &context, const clang::Decl *declaration, Roots &roots);

/* Those that the call in question may stand in: one if the symbol tells, else all of that line or that hold
 * that line. */
llvm::SmallVector<const clang::Decl *, 2> findRoots(clang::ASTContext &context, clang::MangleContext &mangler,
                                                    Roots &roots, const allocsite_types_question &question);

} // namespace allocsite

#endif
