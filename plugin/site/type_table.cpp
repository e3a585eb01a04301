/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "site/type_table.h"

#include "base/settings.h"
#include "find/find.h"
#include "format.h"
#include "types/types.h"
#include "wrap/wrappers.h"

#include <cstring>
#include <dlfcn.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <set>

using namespace llvm;

namespace allocsite {

/* A parser's calls allocate all that the tree it makes consists of. */
static constexpr size_t MostNames = 32;
static constexpr const char *Or = " or ", *FurtherNames = "...";

std::string eitherType(const std::string &a, const std::string &b) {
    SmallVector<StringRef, 8> names;
    StringRef(a).split(names, Or, -1, false);
    StringRef(b).split(names, Or, -1, false);
    std::set<StringRef> all(names.begin(), names.end());
    if (all.size() > 1)
        all.erase(InsideLibrary);
    bool hasFurther = all.erase(FurtherNames) || all.size() > MostNames;
    names.assign(all.begin(), std::next(all.begin(), std::min(all.size(), MostNames)));
    if (hasFurther)
        names.push_back(FurtherNames);
    return join(names, Or);
}

template <class Function> static Function *lookUp(const char *name) {
    return reinterpret_cast<Function *>(dlsym(RTLD_DEFAULT, name));
}

/* The number of calls of one callee at one position, so far or in all. */
using Counts = std::map<std::tuple<unsigned, unsigned, StringRef>, unsigned>;

/* Empty: called by a pointer. */
static StringRef symbolCalled(const AllocatorCall &found) {
    return found.callee ? symbolOf(*found.callee) : "";
}

static std::string nameCalled(const AllocatorCall &found, Names &names) {
    return found.callee ? names.nameOf(*found.callee).symbol : "";
}

static unsigned &countOf(Counts &counts, const AllocatorCall &found) {
    const DILocation *location = found.call->getDebugLoc().get();
    return counts[{location->getLine(), location->getColumn(), symbolCalled(found)}];
}

/* Whether the call's result is a pointer that is not the block. */
static bool returnsHolder(const AllocatorCall &found) {
    return isHeld(found) && found.call->getType()->isPointerTy();
}

static std::string askAST(allocsite_types_find *find, const AllocatorCall &found, unsigned ordinal,
                          unsigned count) {
    return askAST(find, *found.call, symbolCalled(found), ordinal, count, returnsHolder(found));
}

static std::string findHolder(const AllocatorCall &found, unsigned ordinal, unsigned count) {
    static auto *find = lookUp<allocsite_types_find>(ALLOCSITE_TYPES_HOLDER);
    if (found.what || !options().types)
        return "";
    std::string holder = askAST(find, found, ordinal, count);
    return isHeld(found) && (holder.empty() || returnsHolder(found)) ? ALLOCSITE_BYTES : holder;
}

static std::string findPointer(const AllocatorCall &found, unsigned ordinal, unsigned count) {
    static auto *find = lookUp<allocsite_types_find>(ALLOCSITE_TYPES_POINTER);
    return found.callee ? "" : askAST(find, found, ordinal, count);
}

/* A call that takes a block back allocates nothing. `variables` are those of the function, or not found yet.
 */
static std::string findType(const AllocatorCall &found, unsigned ordinal, unsigned count,
                            Variables &variables) {
    static auto *find = lookUp<allocsite_types_find>(ALLOCSITE_TYPES_FIND);
    if (kindOf(found) == ALLOCSITE_FREE || !options().types)
        return "";
    if (allocatesInside(found)) // whatever it returns, that is not all
        return isOfLibrary(*found.call->getFunction()) ? InsideLibrary : ALLOCSITE_BYTES;
    std::string type = askAST(find, found, ordinal, count);
    if (!type.empty() || returnsHolder(found))
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
    Counts all, seen;
    Variables variables;
    SmallVector<AllocatorCall, 8> noted;
    copy_if(calls, std::back_inserter(noted),
            [](const AllocatorCall &found) { return hasLine(found) && !isLibraryCall(found); });
    for (const AllocatorCall &found : noted)
        countOf(all, found)++;
    for (const AllocatorCall &found : noted) {
        unsigned ordinal = countOf(seen, found)++, count = countOf(all, found);
        entries[positionOf(*found.call->getDebugLoc(), names)].push_back(
            {nameCalled(found, names),
             ordinalOf(found),
             {findType(found, ordinal, count, variables), findHolder(found, ordinal, count)},
             findPointer(found, ordinal, count)});
    }
}

const allocator *TypeTable::written(const DILocation &location, const allocator &what, unsigned ordinal,
                                    Names &names) const {
    auto position = entries.find(positionOf(location, names));
    if (position == entries.end() || what.kind == ALLOCSITE_FREE)
        return &what;
    const allocator *found = nullptr;
    for (const Entry &entry : position->second) {
        const allocator *known = allocator_find(entry.callee.data(), entry.callee.size());
        if (entry.ordinal != ordinal || !known || known->kind == ALLOCSITE_FREE)
            continue;
        if (known == &what || (found && found != known))
            return &what;
        found = known;
    }
    return found ? found : &what;
}

ToldType TypeTable::of(const DILocation &location, const std::string &callee, unsigned ordinal,
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

std::string TypeTable::pointerAt(const DILocation &location, unsigned ordinal, Names &names) const {
    auto position = entries.find(positionOf(location, names));
    if (position != entries.end())
        for (const Entry &entry : position->second)
            if (entry.callee.empty() && entry.ordinal == ordinal)
                return entry.pointer;
    return "";
}

static bool isVague(const std::string &type) {
    return type.empty() || type == ALLOCSITE_BYTES || type == InsideLibrary;
}

std::string typeBy(const ToldType &told, const std::string &within) {
    const std::string &known = isVague(told.own) ? within : told.own;
    if (isVague(known) && !told.holder.empty())
        return told.holder;
    return known.empty() ? told.own : known;
}

/* What the line of a call tells. */
static ToldType toldOf(const AllocatorCall &found, Notes &notes) {
    const DILocation *location = found.call->getDebugLoc().get();
    if (!location || isLibraryCall(found))
        return {};
    unsigned ordinal = ordinalOf(found);
    std::string symbol = found.what
                             ? notes.types.written(*location, *found.what, ordinal, notes.names)->symbol
                             : nameCalled(found, notes.names);
    return notes.types.of(*location, symbol, ordinal, notes.names);
}

static constexpr const char *TypeAttribute = "allocsite-type-within";

std::string typesWithin(const Function &function) {
    return function.getFnAttribute(TypeAttribute).getValueAsString().str();
}

std::string typeOf(const AllocatorCall &found, Notes &notes, std::string &holder) {
    ToldType told = toldOf(found, notes);
    std::string type = typeBy(told, found.callee ? typesWithin(*found.callee) : "");
    holder = type == told.holder ? type : "";
    return type;
}

/* Of what is only declared: the members of strings allocate characters, those of others what they need. */
static std::string typeElsewhere(const Function &function) {
    static constexpr size_t LastOfPrefix = strlen("_ZNKSt7__cxx11");
    if (function.getName().find("12basic_stringIc") <= LastOfPrefix)
        return "char";
    if (function.getName().find("12basic_stringIw") <= LastOfPrefix)
        return "wchar_t";
    return function.isDeclaration() && Wrappers::of(function)->isLibrary ? InsideLibrary : "";
}

/* The types that functions allocate. */
struct Types {
    const Wrappers &wrappers;
    enum class State { UnderWay, Done };
    std::map<const Function *, std::string> found = {};
    std::map<const Function *, State> states = {}; // in this round
    bool isCyclic = false, hasChanged = false;
};

/* A library's function hands on all. */
static bool isHandedOn(const AllocatorCall &call, const Function &function, const Wrappers &wrappers) {
    const DILocation *location = call.call->getDebugLoc().get();
    return Wrappers::of(function)->isLibrary || (location && wrappers.handingOn(*location));
}

static std::string typeOfCall(const AllocatorCall &call, Notes &notes, Types &types);

/* Of functions that call each other the first one lacks something until all have been looked at again. */
static std::string typeWithin(Function &function, Notes &notes, Types &types) {
    std::string &found = types.found[&function];
    if (Wrappers::of(function)->isOffset && !Wrappers::of(function)->isLibrary)
        return found;
    auto [position, isNew] = types.states.try_emplace(&function, Types::State::UnderWay);
    types.isCyclic |= !isNew && position->second == Types::State::UnderWay;
    if (!isNew)
        return found;
    std::string all = typeElsewhere(function);
    if (all.empty() && !function.isDeclaration()) {
        all = found;
        for (const AllocatorCall &call : findAllocatorCalls(function))
            if (isHandedOn(call, function, types.wrappers))
                all = eitherType(all, typeOfCall(call, notes, types));
    }
    types.hasChanged |= all != found;
    types.states[&function] = Types::State::Done;
    return found = all;
}

static std::string typeOfCall(const AllocatorCall &call, Notes &notes, Types &types) {
    if (call.what && call.what->kind == ALLOCSITE_FREE)
        return "";
    ToldType told = toldOf(call, notes);
    bool isInner = call.callee && !call.what && isVague(told.own);
    return typeBy(told, isInner ? typeWithin(*call.callee, notes, types) : "");
}

static void findTypesWithin(Module &module, Notes &notes, Types &types) {
    do {
        types.isCyclic = types.hasChanged = false;
        types.states.clear();
        for (Function &function : module) {
            std::optional<Wrapper> wrapper = Wrappers::of(function);
            if (wrapper && (wrapper->isLibrary || wrapper->kind != ALLOCSITE_FREE))
                typeWithin(function, notes, types);
        }
    } while (types.isCyclic && types.hasChanged);
}

void noteTypesWithin(Module &module, Notes &notes) {
    Wrappers wrappers(module);
    Types types = {wrappers};
    findTypesWithin(module, notes, types);
    for (Function &function : module)
        if (!types.found[&function].empty())
            function.addFnAttr(TypeAttribute, types.found[&function]);
}

void eraseTypesWithin(Module &module) {
    for (Function &function : module)
        function.removeFnAttr(TypeAttribute);
}

void finishNoting(Notes &notes) {
    static auto *oneSection = lookUp<allocsite_types_one_section>(ALLOCSITE_TYPES_ONE_SECTION);
    static auto *finish = lookUp<allocsite_types_finish>(ALLOCSITE_TYPES_FINISH);
    notes.isOneSection = oneSection && oneSection();
    if (finish)
        finish();
}

} // namespace allocsite
