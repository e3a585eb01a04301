/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The source file that questions are about. */
#ifndef ALLOCSITE_TYPES_ANSWER_H
#define ALLOCSITE_TYPES_ANSWER_H

#include <clang/AST/ASTContext.h>
#include <vector>

namespace allocsite {

/* Its parsing is done, the code will be made next. `deserialized`: what came from precompiled headers.
 * `clearsAST`: whether the AST goes when the questions are over. */
void beginSource(clang::ASTContext &context, std::vector<const clang::Decl *> deserialized, bool clearsAST);

} // namespace allocsite

#endif
