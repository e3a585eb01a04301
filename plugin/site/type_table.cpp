/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "site/type_table.h"

#include "base/settings.h"
#include "site/debug_types.h"
#include "site/site.h"
#include "types/types.h"

#include <dlfcn.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <set>

using namespace llvm;

namespace allocsite {

static constexpr size_t MostNames = 3;
static constexpr const char *Or = " or ", *FurtherNames = "...";

std::string eitherType(const std::string &a, const std::string &b) {
    SmallVector<StringRef, 8> names;
    StringRef(a).split(names, Or, -1, false);
    StringRef(b).split(names, Or, -1, false);
    std::set<StringRef> all(names.begin(), names.end());
    bool hasFurther = all.erase(FurtherNames) || all.size() > MostNames;
    names.assign(all.begin(), std::next(all.begin(), std::min(all.size(), MostNames)));
    if (hasFurther)
        names.push_back(FurtherNames);
    return join(names, Or);
}

template <class Function> static Function *lookUp(const char *name) {
    return reinterpret_cast<Function *>(dlsym(RTLD_DEFAULT, name));
}

/* How many calls of one callee stand at one position, so far or in all. */
using Counts = std::map<std::tuple<unsigned, unsigned, StringRef>, unsigned>;

static unsigned &countOf(Counts &counts, const CallPlace &place) {
    return counts[{place.line, place.column, place.callee}];
}

static std::string symbolOf(const Function &function) {
    return function.getName().ltrim('\1').str();
}

static std::string askAST(const AllocatorCall &found, const CallPlace &place, unsigned ordinal,
                          unsigned count) {
    static auto *find = lookUp<allocsite_types_find>(ALLOCSITE_TYPES_FIND);
    const DISubprogram *subprogram = found.call->getDebugLoc()->getScope()->getSubprogram();
    std::string function = symbolOf(*found.call->getFunction());
    std::string file = subprogram->getFilename().str();
    std::string callee = symbolOf(*found.callee);
    allocsite_types_question question = {};
    question.function = function.c_str();
    question.file = file.c_str();
    question.function_line = subprogram->getLine();
    question.callee = callee.c_str();
    question.line = place.line;
    question.column = place.column;
    question.ordinal = ordinal;
    question.count = count;
    const char *type = find ? find(&question) : nullptr;
    return type ? type : "";
}

/* What takes a block back allocates nothing. `variables` are those of the function, or not found yet. */
static std::string findType(const AllocatorCall &found, const CallPlace &place, unsigned ordinal,
                            unsigned count, Variables &variables) {
    if (kindOf(found) == ALLOCSITE_FREE)
        return "";
    std::string type = askAST(found, place, ordinal, count);
    if (!type.empty())
        return type;
    if (variables.empty())
        variables = findVariables(*found.call->getFunction());
    return typeByDebugInfo(*found.call, variables);
}

void TypeTable::note(ArrayRef<AllocatorCall> calls, ArrayRef<CallPlace> places) {
    if (!options().types)
        return;
    Counts all, seen;
    Variables variables;
    for (const CallPlace &place : places)
        countOf(all, place)++;
    for (unsigned i = 0; i < calls.size(); i++) {
        const CallPlace &place = places[i];
        unsigned ordinal = countOf(seen, place)++;
        entries[{place.function, place.line, place.column}].push_back(
            {place.callee, place.ordinal,
             findType(calls[i], place, ordinal, countOf(all, place), variables)});
    }
}

std::string TypeTable::of(const CallPlace &place) const {
    auto position = entries.find({place.function, place.line, place.column});
    if (position == entries.end())
        return "";
    const Entry *found = nullptr;
    bool isNamed = any_of(position->second, [&](const Entry &entry) {
        return entry.callee == place.callee && entry.ordinal == place.ordinal;
    });
    for (const Entry &entry : position->second) {
        if (isNamed && (entry.callee != place.callee || entry.ordinal != place.ordinal))
            continue;
        if (found && found->type != entry.type)
            return "";
        found = &entry;
    }
    return found->type;
}

void finishNotingTypes() {
    static auto *finish = lookUp<allocsite_types_finish>(ALLOCSITE_TYPES_FINISH);
    if (finish)
        finish();
}

} // namespace allocsite
