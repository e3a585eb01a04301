/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "site/call_types.h"

#include "find/lists.h"
#include "format.h"
#include "site/type_table.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <map>
#include <tuple>

using namespace llvm;

namespace allocsite {

namespace {

struct CallSearch {
    const Reaching &reaching;
    HandedOut &bodies;
    Notes &notes;
    std::vector<CallType> found = {};
    std::map<std::tuple<std::string, unsigned, unsigned>, size_t> places = {}; // symbol, line, column
};

/* The calls of one function that may reveal a type, in code order. */
struct CallsOfFunction {
    SmallVector<std::pair<CallBase *, std::string>, 8> calls; // with the callee's symbol
    Counts all, visited;
    Variables variables;
};

} // namespace

/* In C a block may also be returned through an argument. In C++ nearly all calls pass pointers, and asking
 * the AST about each of them costs time. */
static bool mayReturnBlock(const CallBase &call, bool isC) {
    return call.getType()->isPointerTy() || (isC && any_of(call.args(), [](const Use &argument) {
                                                 return argument->getType()->isPointerTy();
                                             }));
}

static bool mayTell(const CallBase &call, const Reaching &reaching, HandedOut &bodies, bool isC) {
    const DILocation *location = call.getDebugLoc().get();
    const Function *callee = surelyCalled(call);
    if (!location || location->getLine() == 0 || isa<IntrinsicInst>(call) || call.isInlineAsm())
        return false;
    if (const allocator *row = allocatorCalled(call))
        return row->kind != ALLOCSITE_FREE;
    bool hasBody = callee && !callee->isDeclaration();
    return mayReturnBlock(call, isC) && reaching.mayAllocate(call) && !(callee && isOfLanguage(*callee)) &&
           !(hasBody && bodies.of(*callee).returned.from.empty() && bodies.of(*callee).stored.from.empty());
}

static std::string calleeOf(const CallBase &call) {
    const Function *callee = surelyCalled(call);
    StringRef symbol = callee ? symbolOf(*callee) : "";
    symbol.consume_front(ListedPrefix);
    return symbol.str();
}

static CallsOfFunction findCalls(Function &function, const Reaching &reaching, HandedOut &bodies) {
    CallsOfFunction found;
    bool isC = symbolOf(function).find("_Z") != 0;
    for (Instruction &instruction : instructions(function)) {
        auto *call = dyn_cast<CallBase>(&instruction);
        if (!call || !mayTell(*call, reaching, bodies, isC))
            continue;
        found.calls.push_back({call, calleeOf(*call)});
        countOf(found.all, *call, found.calls.back().second)++;
    }
    return found;
}

/* Returns the type that the result is used as. ALLOCSITE_BYTES: the function does not know the type, but its
 * caller may. Empty: the callee's declaration gives it, or it is unknown. */
static std::string typeOfUse(CallsOfFunction &of, const CallBase &call, const std::string &callee) {
    unsigned ordinal = countOf(of.visited, call, callee)++;
    ASTAnswer answer = askAST(call, callee, ordinal, countOf(of.all, call, callee), true);
    if (answer.isAvailable)
        return answer.type;
    if (of.variables.empty())
        of.variables = findVariables(*const_cast<Function *>(call.getFunction()));
    return useByDebugInfo(call, of.variables);
}

/* Returns whether the caller gets this block: as the result if the function returns a pointer, otherwise
 * through an argument. */
static bool isHandedOn(const CallBase &call, HandedOut &bodies) {
    const Function &function = *call.getFunction();
    const HandedOut::Results &of = bodies.of(function);
    bool isResult = function.getReturnType()->isPointerTy();
    return reportsCustomBlock(allocatorCalled(call)) ||
           (isResult ? of.returned : of.stored).from.contains(&call);
}

/* Merges calls at one source location, because a call path does not distinguish them. */
static void addCallType(CallSearch &search, const DILocation &location, const std::string &type,
                        unsigned flags) {
    SourceLocation at = locationOf(location, search.notes.names);
    auto [position, isNew] = search.places.try_emplace({at.symbol, at.line, at.column}, search.found.size());
    if (isNew) {
        search.found.push_back({std::move(at), type, flags});
        return;
    }
    CallType &known = search.found[position->second];
    known.flags |= flags;
    known.type = known.type.empty() || type.empty() ? known.type + type : eitherType(known.type, type);
}

static void addSite(CallSearch &search, const AllocatorCall &site) {
    if (allocsite_type_is_raw(typeOf(site, search.notes).c_str()) && isHandedOn(*site.call, search.bodies))
        addCallType(search, *site.call->getDebugLoc(), "", ALLOCSITE_HANDS_ON);
}

static void addCall(CallSearch &search, const CallBase &call, const std::string &type) {
    if (isIgnoredType(type))
        return;
    bool isKnown = type != ALLOCSITE_BYTES;
    bool handsOn = allocsite_type_is_raw(type.c_str()) && isHandedOn(call, search.bodies);
    if (!type.empty() && (isKnown || handsOn))
        addCallType(search, *call.getDebugLoc(), isKnown ? type : "", handsOn ? ALLOCSITE_HANDS_ON : 0);
}

std::vector<CallType> findCallTypes(Module &module, const Reaching &reaching, HandedOut &bodies,
                                    Notes &notes) {
    CallSearch search = {reaching, bodies, notes};
    for (Function &function : module) {
        if (!isInstrumented(function) || !reaching.functions.contains(&function) || isOfLibrary(function))
            continue;
        CallsOfFunction of = findCalls(function, reaching, bodies);
        for (auto &[call, callee] : of.calls)
            if (const allocator *row = allocatorCalled(*call))
                addSite(search, {call, surelyCalled(*call), row});
            else
                addCall(search, *call, typeOfUse(of, *call, callee));
    }
    return std::move(search.found);
}

} // namespace allocsite
