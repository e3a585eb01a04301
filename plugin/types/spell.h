/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The type that a call allocates, by what is done with its result and what it asks for. */
#ifndef ALLOCSITE_TYPES_SPELL_H
#define ALLOCSITE_TYPES_SPELL_H

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <string>

namespace allocsite {

/* The use of the value of an expression: the types that the pointers it is converted to point to. */
struct Use {
    clang::QualType cast;   // by an explicit cast
    clang::QualType target; // by an implicit one, or by what is initialised, assigned or returned
};

/* The type that a value of that type points to, if such a one can be allocated; else null. */
clang::QualType pointee(clang::QualType type);

/* The use of a cast's operand, of which the cast's own use is known. */
Use throughCast(const clang::ASTContext &context, const clang::CastExpr *cast, Use use);

/* The type of the pointer to the block of the buffer that an argument points to; null: it points to none. */
clang::QualType bufferBlock(const clang::ASTContext &context, const clang::Expr *argument);

std::string heldBy(const clang::ASTContext &context, const clang::CallExpr *call);

/* The structure that a call returns, or that what it returns points at; empty: none. */
std::string holderOf(const clang::ASTContext &context, const clang::CallExpr *call);

/* What a call is given to read and returns to be changed, if that is a text; empty: it is none. */
std::string textCopied(const clang::ASTContext &context, const clang::CallExpr *call);

/* Empty: unknown, as where a structure comes back. */
std::string typeOfCall(const clang::ASTContext &context, const clang::CallExpr *call, Use use);
std::string typeOfNew(const clang::ASTContext &context, const clang::CXXNewExpr *made);

/* ---- Buffers: structures that are a block and numbers, or a block and its end. */

/* The type of the pointer to the block; null: the type is no buffer. Two numbers of one type tell how much is
 * there and how much is used, or pointers of one type that are named so where it ends; nothing leads to
 * another of its kind. */
clang::QualType blockOf(const clang::ASTContext &context, clang::QualType type);

} // namespace allocsite

#endif
