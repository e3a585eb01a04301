/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The calls in a function's body, with what they allocate if they do. */
#ifndef ALLOCSITE_TYPES_CALLS_H
#define ALLOCSITE_TYPES_CALLS_H

#include <clang/AST/ASTContext.h>
#include <clang/AST/Mangle.h>
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
};

/* The symbol without the mark of an asm label. */
std::string symbolOf(clang::MangleContext &mangler, clang::GlobalDecl function);

/* The calls that may return a block, in the order in which they are evaluated. `root` is a function with a
 * body, or a variable with an initialiser. Functions inside it (lambdas, local classes) are not part of it.
 */
std::vector<Call> findCalls(clang::ASTContext &context, clang::MangleContext &mangler,
                            const clang::Decl *root);

} // namespace allocsite

#endif
