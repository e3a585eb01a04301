/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "find/find.h"

#include "base/allocators.h"
#include "base/settings.h"
#include "types/types.h"
extern "C" {
#include "base/words.h"
}

#include <dlfcn.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace allocsite {

static constexpr const char *None = "none"; // turns system directories off

static bool isListedLibrary(const std::string &name) {
    return any_of(options().libraries, [&](const std::string &pattern) {
        return pattern != None && wildcard_match(pattern.c_str(), name.c_str());
    });
}

/* Only the AST half of the plugin knows header directories other than the default ones. */
static bool isInSystem(const std::string &path) {
    static auto *isSystem =
        reinterpret_cast<allocsite_types_is_system *>(dlsym(RTLD_DEFAULT, ALLOCSITE_TYPES_IS_SYSTEM));
    StringRef name = path;
    return name.find("/usr/include/") == 0 || name.find("/usr/local/include/") == 0 ||
           (isSystem && isSystem(path.c_str()));
}

/* Results are cached by path, because they are the same in the whole process. */
static bool isLibraryHeader(const std::string &path) {
    static StringMap<bool> known;
    auto [position, isNew] = known.try_emplace(path, false);
    if (isNew)
        position->second =
            isListedLibrary(path) || (!is_contained(options().libraries, None) && isInSystem(path));
    return position->second;
}

/* Returns whether clang generated the member function, such as a copy constructor. */
static bool isImplicit(const DISubprogram &subprogram, StringRef symbol) {
    return subprogram.isArtificial() && symbol.find("_ZN") == 0;
}

bool isOfLibrary(const Function &function) {
    std::string symbol = symbolOf(function).str();
    const DISubprogram *subprogram = function.getSubprogram();
    return library_has(symbol.c_str()) || (subprogram && isImplicit(*subprogram, symbol)) ||
           !libraryFileOf(function).empty() ||
           (!options().libraries.empty() && isListedLibrary(Names().of(function).plain()));
}

std::string libraryFileOf(const Function &function) {
    const DISubprogram *subprogram = function.getSubprogram();
    std::string path = subprogram ? pathOf(subprogram->getFile()) : "";
    return !path.empty() && isLibraryHeader(path) ? path : "";
}

bool isOfLanguage(const Function &function) {
    std::string symbol = symbolOf(function).str();
    static void *libraries[] = {dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD),
                                dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD)};
    return function.isDeclaration() &&
           any_of(libraries, [&](void *library) { return library && dlsym(library, symbol.c_str()); });
}

bool returnsBlock(const Function &function) {
    static const StringSet<> names = {"realpath", "__realpath_chk", "getcwd", "__getcwd_chk",
                                      "backtrace_symbols"}; /* not declared to return a new block */
    return isOfLanguage(function) && (function.returnDoesNotAlias() || names.contains(function.getName()));
}

bool storesBlock(const Function &function) {
    static const StringSet<> names = {"asprintf", "vasprintf", "__asprintf_chk", "__vasprintf_chk",
                                      "getline",  "getdelim",  "__getdelim"};
    return isOfLanguage(function) && names.contains(function.getName());
}

bool returnsFirst(const Function &function) {
    static const StringSet<> names = {"memcpy",       "memmove",       "memset",       "strcpy",
                                      "strncpy",      "strcat",        "strncat",      "wmemcpy",
                                      "wcscpy",       "__memcpy_chk",  "__memset_chk", "__memmove_chk",
                                      "__strcpy_chk", "__strncpy_chk", "__strcat_chk"};
    return function.isDeclaration() && names.contains(function.getName());
}

} // namespace allocsite
