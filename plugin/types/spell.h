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

/* Empty: unknown, as where a structure comes back. */
std::string typeOfCall(const clang::ASTContext &context, const clang::CallExpr *call, Use use);
/* The type that the memory has by its use, if the function that is called is declared to return or to fill in
 * pointers to raw memory. ALLOCSITE_BYTES: the use does not tell either. Empty: the declaration tells. */
std::string typeByUse(const clang::ASTContext &context, const clang::CallExpr *call, Use use);
std::string typeOfNew(const clang::ASTContext &context, const clang::CXXNewExpr *made);

} // namespace allocsite

#endif
