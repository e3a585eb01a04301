/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/names.h"

#include <cstring>
#include <llvm/ADT/SmallString.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/Support/Path.h>

using namespace llvm;

namespace allocsite {

StringRef symbolOf(const Function &function) {
    StringRef name = function.getName();
    name.consume_front("\1");
    return name;
}

void Names::note(const Function &function) {
    const DISubprogram *subprogram = function.getSubprogram();
    if (subprogram && subprogram->getLinkageName().empty())
        symbols[subprogram] = symbolOf(function).str();
}

/* Removes template arguments: `a<b>::c<d>` becomes `a::c`. */
static std::string withoutTemplateArguments(StringRef name) {
    std::string plain;
    int depth = 0;
    if (name.find("operator") == 0)
        return name.str();
    for (char letter : name) {
        depth += letter == '<';
        if (depth == 0)
            plain += letter;
        depth -= letter == '>';
    }
    return plain;
}

/* Removes inline namespaces, which programmers do not write: std::__cxx11::list and std::__1::list are
 * std::list. */
static std::string withoutInlineNamespace(std::string name) {
    for (StringRef part : {"__cxx11::", "__1::"}) {
        size_t at = StringRef(name).find(("std::" + part.str()));
        if (at != StringRef::npos)
            name.erase(at + strlen("std::"), part.size());
    }
    return name;
}

/* Returns an empty string if `symbol` is not the mangled name of a function. */
static std::string plainName(const std::string &symbol) {
    ItaniumPartialDemangler demangler;
    if (demangler.partialDemangle(symbol.c_str()) || !demangler.isFunction())
        return "";
    auto part = [](char *text) {
        std::string result = text ? withoutTemplateArguments(text) : "";
        free(text);
        return result;
    };
    std::string context = part(demangler.getFunctionDeclContextName(nullptr, nullptr));
    std::string base = part(demangler.getFunctionBaseName(nullptr, nullptr));
    return context.empty() ? base : withoutInlineNamespace(context + "::") + base;
}

/* An unmangled symbol may have a suffix or an asm label that the source does not show, so reports have the
 * source's name. */
FunctionName::FunctionName(std::string symbol, StringRef name)
    : symbol(symbol.empty() ? name.str() : std::move(symbol)),
      written(name.empty() ? this->symbol : name.str()) {}

const std::string &FunctionName::shown() const {
    if (shownOnce.empty()) {
        std::string demangled = demangle(symbol);
        shownOnce = demangled != symbol ? demangled : written;
    }
    return shownOnce;
}

const std::string &FunctionName::plain() const {
    if (plainOnce.empty())
        plainOnce = plainName(symbol);
    if (plainOnce.empty())
        plainOnce = withoutTemplateArguments(written);
    return plainOnce;
}

const FunctionName &Names::of(const DISubprogram &subprogram) {
    auto [position, isNew] = names.try_emplace(&subprogram);
    if (!isNew)
        return position->second;
    std::string symbol = subprogram.getLinkageName().str();
    if (symbol.empty())
        symbol = symbols.lookup(&subprogram);
    return position->second = FunctionName(std::move(symbol), subprogram.getName());
}

FunctionName Names::of(const Function &function) const {
    StringRef symbol = symbolOf(function);
    symbol.consume_front(ListedPrefix);
    return FunctionName(symbol.str(), "");
}

FunctionName Names::nameOf(const Function &function) {
    const DISubprogram *subprogram = function.getSubprogram();
    return subprogram ? of(*subprogram) : of(function);
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
