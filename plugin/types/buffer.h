/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Buffers: structures that are a block and numbers. */
#ifndef ALLOCSITE_TYPES_BUFFER_H
#define ALLOCSITE_TYPES_BUFFER_H

#include <clang/AST/ASTContext.h>

namespace allocsite {

/* The type of the pointer to the block; null: the type is no buffer. Two numbers of one type tell how much is
 * there and how much is used, and nothing leads to another of its kind (wrap/growers.cpp has the same). */
clang::QualType blockOf(const clang::ASTContext &context, clang::QualType type);

} // namespace allocsite

#endif
