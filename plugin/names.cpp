/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "names.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/Support/Path.h>

using namespace llvm;

namespace allocsite {

static std::string symbolOf(const Function &function) {
    StringRef name = function.getName();
    name.consume_front("\1");
    return name.str();
}

void Names::note(const Function &function) {
    const DISubprogram *subprogram = function.getSubprogram();
    if (subprogram && subprogram->getLinkageName().empty())
        symbols[subprogram] = symbolOf(function);
}

/* An unmangled symbol can carry a suffix or an asm label that the source has not: then the plain name is
 * shown. */
static FunctionName name(const std::string &symbol, StringRef plain) {
    if (symbol.empty())
        return {plain.str(), plain.str()};
    std::string demangled = demangle(symbol);
    bool isMangled = demangled != symbol;
    return {symbol, isMangled || plain.empty() ? demangled : plain.str()};
}

const FunctionName &Names::of(const DISubprogram &subprogram) {
    auto [position, isNew] = names.try_emplace(&subprogram);
    if (!isNew)
        return position->second;
    std::string symbol = subprogram.getLinkageName().str();
    if (symbol.empty())
        symbol = symbols.lookup(&subprogram);
    return position->second = name(symbol, subprogram.getName());
}

FunctionName Names::of(const Function &function) const {
    return name(symbolOf(function), "");
}

std::string pathOf(const DIFile *file) {
    if (!file)
        return "";
    SmallString<256> path = file->getFilename();
    if (!sys::path::is_absolute(path) && !file->getDirectory().empty()) {
        path = file->getDirectory();
        sys::path::append(path, file->getFilename());
    }
    sys::path::remove_dots(path);
    return path.str().str();
}

} // namespace allocsite
