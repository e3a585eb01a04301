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
    std::string callee;    // symbol; empty: not known, or called by a pointer
    std::string pointer;   // the name of that; empty: none
    std::string type;      // empty: unknown
    std::string held;      // type of the block of a buffer that it is given; empty: it is given none
    std::string holder;    // the structure that comes back with the block in it; empty: none does
    std::string element;   // that a template's function makes for its caller; empty: it makes something else
    std::string copied;    // type of the characters that a call by a pointer copies; empty: it copies no text
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

/* ---- Functions that a source file uses and does not define, but for members of std, by their symbols
 * (declared.cpp). */

using Declared = llvm::StringMap<const clang::FunctionDecl *>;

void addDeclared(clang::MangleContext &mangler, const clang::DeclContext &scope, Declared &declared);

/* The same of what was read from a precompiled header or a module. */
void addRead(clang::MangleContext &mangler, const clang::Decl &declaration, Declared &declared);

/* The file that it stands in, as it was opened. */
const char *headerOf(const clang::ASTContext &context, const clang::FunctionDecl &function);

/* Whether one could hand on blocks, or give them back, as far as its declaration tells (possible.cpp). */
allocsite_types_declaration describe(const clang::ASTContext &context, const clang::FunctionDecl &function);

/* ---- What is told by names (naming.cpp). */

/* How many there are; which of several, not how many. */
bool isNamedCount(const clang::ParmVarDecl &parameter);
bool isNamedPosition(const clang::ParmVarDecl &parameter);

/* A copy of a text: strndup, vim_strnsave. Something to keep is added to a thing: queue_push. */
bool isNamedCopy(const clang::FunctionDecl &function);
bool isNamedAddition(const clang::FunctionDecl &function);

/* ---- Instances of templates (templates.cpp). */

/* Whether a function of a class template is given there what an instance is made for. */
bool isElement(const clang::ASTContext &context, const clang::FunctionDecl &function,
               const clang::ParmVarDecl &parameter);

/* Whether it is of a class template and is given what that is an instance for, how many of those, or another
 * such object, or returns where one is. */
bool takesElement(const clang::ASTContext &context, const clang::FunctionDecl &function);

/* Whether what a function makes is, or holds, what its caller has given or named. */
bool isForCaller(const clang::ASTContext &context, const clang::FunctionDecl &function, clang::QualType made);

} // namespace allocsite

#endif
