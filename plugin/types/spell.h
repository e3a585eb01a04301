/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the type that a call allocates, from the use of its result and from the requested size. */
#ifndef ALLOCSITE_TYPES_SPELL_H
#define ALLOCSITE_TYPES_SPELL_H

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <string>

namespace allocsite {

/* The use of a pointer: the types that it points to after conversions. */
struct Use {
    clang::QualType cast;   // after an explicit cast
    clang::QualType target; // after an implicit cast, an initialisation, an assignment or a return
};

/* Returns the type that a pointer of this type points to. Null: not a pointer, or a pointer to void or a
 * function. */
clang::QualType pointee(clang::QualType type);

/* Returns the use of a cast's operand, given the use of the cast. */
Use throughCast(const clang::ASTContext &context, const clang::CastExpr *cast, Use use);

/* Returns the allocated type. Empty: unknown, for example if the call returns a structure. */
std::string typeOfCall(const clang::ASTContext &context, const clang::CallExpr *call, Use use);
/* If the callee returns raw memory, or stores a pointer to it through an argument, returns the type that the
 * memory is used as. ALLOCSITE_BYTES: the callee returns a pointer, but its use reveals no type. Empty: the
 * declaration gives the type, or the arguments reveal none. */
std::string typeByUse(const clang::ASTContext &context, const clang::CallExpr *call, Use use);
std::string typeOfNew(const clang::ASTContext &context, const clang::CXXNewExpr *made);

} // namespace allocsite

#endif
