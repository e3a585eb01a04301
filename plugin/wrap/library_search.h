/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which functions of the C++ standard library are to be told the site that they allocate for. */
#ifndef ALLOCSITE_WRAP_LIBRARY_SEARCH_H
#define ALLOCSITE_WRAP_LIBRARY_SEARCH_H

#include "site/names.h"
#include "wrap/wrapper_search.h"

namespace allocsite {

/* Those that allocate, or call one that does; and those that are only declared, as most of std::string is,
 * and may throw: what cannot allocate says so by noexcept. */
void searchLibrary(llvm::Module &module, const llvm::SmallPtrSetImpl<const llvm::Function *> &ignored,
                   FoundWrappers &found);

/* Once the calls' types are noted: notes with each of these functions the types of all that it allocates. */
void noteLibraryTypes(llvm::Module &module, Names &names);

/* Empty: unknown. */
std::string libraryTypeOf(const llvm::Function &function);

void eraseLibraryTypes(llvm::Module &module);

} // namespace allocsite

#endif
