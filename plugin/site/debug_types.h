/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Types of allocations where nobody has seen the AST: by the debug info of the variable, the field or the
 * result that a block is stored to, or if there is none, of the callee's result. Holds before the
 * optimizer only. */
#ifndef ALLOCSITE_SITE_DEBUG_TYPES_H
#define ALLOCSITE_SITE_DEBUG_TYPES_H

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <string>

namespace allocsite {

/* The types of a function's variables, by their place in memory. */
using Variables = llvm::DenseMap<const llvm::Value *, const llvm::DIType *>;
Variables findVariables(llvm::Function &function);

/* Empty: unknown. Spelled as plugin/types/types.h says, but that C++ template arguments are all there. */
std::string typeByDebugInfo(const llvm::CallBase &call, const Variables &variables);

} // namespace allocsite

#endif
