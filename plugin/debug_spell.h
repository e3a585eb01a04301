/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of types from debug info. */
#ifndef ALLOCSITE_PLUGIN_DEBUG_SPELL_H
#define ALLOCSITE_PLUGIN_DEBUG_SPELL_H

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>

#include <string>

namespace allocsite {

/* The type itself: without typedefs and qualifiers. null stays null. */
const llvm::DIType *withoutNames(const llvm::DIType *type);

/* One element of that type, in the language of the function; empty: void, functions, nothing. */
std::string spell(const llvm::DIType *type, const llvm::Function &function);

} // namespace allocsite

#endif
