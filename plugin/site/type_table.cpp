/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "site/type_table.h"

#include "base/settings.h"
#include "find/find.h"
#include "format.h"
#include "types/types.h"

#include <cstring>
#include <dlfcn.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <set>

using namespace llvm;

namespace allocsite {

/* A call that is inlined into a parser may allocate every type of its syntax tree. */
static constexpr size_t MostNames = 32;
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

unsigned &countOf(Counts &counts, const CallBase &call, const std::string &callee) {
    const DILocation *location = call.getDebugLoc().get();
    return counts[{location->getLine(), location->getColumn(), callee}];
}

ASTAnswer askAST(const CallBase &call, const std::string &callee, unsigned ordinal, unsigned count,
                 bool isOfUse) {
    static auto *find = lookUp<allocsite_types_find>(ALLOCSITE_TYPES_FIND);
    const DILocation *location = call.getDebugLoc().get();
    const DISubprogram *subprogram = location->getScope()->getSubprogram();
    std::string function = symbolOf(*call.getFunction()).str(), file = subprogram->getFilename().str();
    allocsite_types_question question = {};
    question.function = function.c_str();
    question.file = file.c_str();
    question.function_line = subprogram->getLine();
    question.callee = callee.c_str();
    question.line = location->getLine();
    question.column = location->getColumn();
    question.ordinal = ordinal;
    question.count = count;
    question.is_of_use = isOfUse;
    const char *answer = find ? find(&question) : nullptr;
    return {find != nullptr, answer ? answer : ""};
}

/* A call that frees a block has no type. `variables`: the function's variables; filled on first use. */
static std::string findType(const AllocatorCall &found, unsigned ordinal, unsigned count,
                            Variables &variables) {
    if (found.row->kind == ALLOCSITE_FREE || !options().types)
        return "";
    std::string type = askAST(*found.call, symbolOf(*found.callee).str(), ordinal, count, false).type;
    if (!type.empty())
        return type;
    if (variables.empty())
        variables = findVariables(*found.call->getFunction());
    return typeByDebugInfo(*found.call, variables);
}

TypeTable::Position TypeTable::positionOf(const DILocation &location, Names &names) {
    return {names.of(*location.getScope()->getSubprogram()).symbol, location.getLine(), location.getColumn()};
}

static bool hasLine(const AllocatorCall &found) {
    const DILocation *location = found.call->getDebugLoc().get();
    return location && location->getLine() != 0;
}

void TypeTable::note(ArrayRef<AllocatorCall> calls, Names &names) {
    Counts all, visited;
    Variables variables;
    SmallVector<AllocatorCall, 8> noted;
    copy_if(calls, std::back_inserter(noted), hasLine);
    for (const AllocatorCall &found : noted)
        countOf(all, *found.call, symbolOf(*found.callee).str())++;
    for (const AllocatorCall &found : noted) {
        std::string callee = symbolOf(*found.callee).str();
        unsigned ordinal = countOf(visited, *found.call, callee)++, count = countOf(all, *found.call, callee);
        entries[positionOf(*found.call->getDebugLoc(), names)].push_back(
            {names.nameOf(*found.callee).symbol, ordinalOf(*found.call),
             findType(found, ordinal, count, variables)});
    }
}

const allocator *TypeTable::written(const DILocation &location, const allocator &row, unsigned ordinal,
                                    Names &names) const {
    auto position = entries.find(positionOf(location, names));
    if (position == entries.end() || row.kind == ALLOCSITE_FREE)
        return &row;
    const allocator *found = nullptr;
    for (const Entry &entry : position->second) {
        const allocator *known = allocator_find(entry.callee.data(), entry.callee.size());
        if (entry.ordinal != ordinal || !known || known->kind == ALLOCSITE_FREE)
            continue;
        if (known == &row || (found && found != known))
            return &row;
        found = known;
    }
    return found ? found : &row;
}

std::string TypeTable::of(const DILocation &location, const std::string &callee, unsigned ordinal,
                          Names &names) const {
    auto position = entries.find(positionOf(location, names));
    if (position == entries.end())
        return {};
    auto isNamed = [&](const Entry &entry) { return entry.callee == callee && entry.ordinal == ordinal; };
    bool isAnyNamed = any_of(position->second, isNamed);
    const Entry *found = nullptr;
    for (const Entry &entry : position->second) {
        if (isAnyNamed && !isNamed(entry))
            continue;
        if (found && !(found->type == entry.type))
            return {};
        found = &entry;
    }
    return found->type;
}

std::string typeOf(const AllocatorCall &found, Notes &notes) {
    const DILocation *location = found.call->getDebugLoc().get();
    if (!location)
        return "";
    unsigned ordinal = ordinalOf(*found.call);
    const allocator *written = notes.types.written(*location, *found.row, ordinal, notes.names);
    return notes.types.of(*location, written->symbol, ordinal, notes.names);
}

void finishNoting(Notes &notes) {
    static auto *oneSection = lookUp<allocsite_types_one_section>(ALLOCSITE_TYPES_ONE_SECTION);
    static auto *finish = lookUp<allocsite_types_finish>(ALLOCSITE_TYPES_FINISH);
    notes.isOneSection = oneSection && oneSection();
    if (finish)
        finish();
}

} // namespace allocsite
