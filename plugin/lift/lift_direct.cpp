/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A wrapper that is called in its own module, or has a twin (lift.h), gives its code to a function with one
 * more parameter, the site: its body. Under its own name it stays for whoever else calls it: that takes the
 * site which was left, and calls the body. Without optimization it stays as it is, so that a debugger may
 * call it. Of a C++ function that each file has a copy of, the linker may keep one from a file that was not
 * compiled with the plugin; its body is shared by those that were, so that a site never has to be left for
 * it. */
#include "lift/lift.h"

#include "base/compat.h"
#include "base/settings.h"
#include "wrap/wrappers.h"

#include <llvm/IR/IRBuilder.h>

using namespace llvm;

namespace allocsite {

static bool mayHaveParameter(const Function &wrapper) {
    bool isChecked =
        wrapper.hasMetadata("type") || wrapper.hasMetadata("kcfi_type"); // where pointers lead to it
    bool isTraced = wrapper.hasFnAttribute("instrument-function-entry-inlined") ||
                    wrapper.hasFnAttribute("fentry-call"); // by who would see two functions
    return !wrapper.isVarArg() && !wrapper.hasOptNone() && !isChecked && !isTraced &&
           none_of(wrapper.args(), [](const Argument &argument) { return argument.hasByValAttr(); }) &&
           none_of(wrapper, [](const BasicBlock &block) {
               return block.hasAddressTaken() || block.getTerminatingMustTailCall();
           });
}

static bool mayPass(const CallBase &call, const Function &wrapper) {
    return !call.isMustTailCall() && call.getFunctionType() == wrapper.getFunctionType();
}

static bool mayPassByName(const CallBase &call, const Function &wrapper) {
    return call.getCalledOperand() == &wrapper && mayPass(call, wrapper);
}

/* Without code as yet. */
static Function &declareBody(Function &wrapper, GlobalValue::LinkageTypes linkage) {
    Function *body = Function::Create(typeWithSite(wrapper), linkage, wrapper.getAddressSpace(),
                                      wrapper.getName() + ALLOCSITE_SITED);
    wrapper.getParent()->getFunctionList().insert(wrapper.getIterator(), body);
    return *body;
}

/* What tells the type to calls by a pointer (-fsanitize=function, kcfi, cfi) stays with the function that has
 * the address: nobody calls the body so, and before its code it would name the other one's. */
static void moveCode(Function &wrapper, Function &body) {
    GlobalValue::LinkageTypes linkage = body.getLinkage();
    body.copyAttributesFrom(&wrapper);
    body.removeFnAttr("alloc-variant-zeroed"); // names a function of the other type
    body.setPrologueData(nullptr);
    body.setLinkage(linkage); // with what goes with it
    body.copyMetadata(&wrapper, 0);
    wrapper.setSubprogram(nullptr);
    moveBody(wrapper, body);
    for (Argument &argument : wrapper.args()) {
        body.getArg(argument.getArgNo())->takeName(&argument);
        argument.replaceAllUsesWith(body.getArg(argument.getArgNo()));
    }
}

/* Its sites go along (Table::group). */
static Function &splitOff(Function &wrapper) {
    std::string twin = twinOf(wrapper);
    Function &body = declareBody(wrapper, GlobalValue::InternalLinkage);
    body.setComdat(wrapper.getComdat());
    ValueAsMetadata::handleRAUW(&wrapper, &body);
    moveCode(wrapper, body);
    if (!twin.empty())
        addTwin(twin, wrapper, body);
    return body;
}

static bool isShared(const Function &wrapper) {
    bool isInEachFile = wrapper.hasLinkOnceODRLinkage() || wrapper.hasWeakODRLinkage();
    return isInEachFile && isInstrumented(wrapper) && Wrappers::of(wrapper) && mayHaveParameter(wrapper) &&
           any_of(wrapper.users(), [&](const User *user) {
               auto *call = dyn_cast<CallBase>(user);
               return call && mayPassByName(*call, wrapper);
           });
}

void declareSharedBodies(Module &module, Lifting &lifting) {
    SmallVector<Function *, 16> wrappers;
    for (Function &function : module)
        if (options().twins && isShared(function))
            wrappers.push_back(&function);
    for (Function *wrapper : wrappers) {
        Function &body = declareBody(*wrapper, GlobalValue::LinkOnceODRLinkage);
        body.setComdat(module.getOrInsertComdat(body.getName()));
        lifting.sharedBodies[wrapper] = &body;
    }
}

bool callSharedBody(const AllocatorCall &found, Value *site, const Lifting &lifting) {
    Function *body = lifting.sharedBodies.lookup(found.callee);
    if (found.what || !body || !mayPassByName(*found.call, *found.callee))
        return false;
    forgetMemoryEffects(*found.call);
    forgetMemoryEffects(*found.call->getFunction());
    callInstead(*found.call, body, withSite(*found.call, site, SITE_LAST));
    return true;
}

static void replace(SelectInst &choice, Value *site) {
    auto *test = cast<Instruction>(choice.getCondition());
    choice.replaceAllUsesWith(site);
    choice.eraseFromParent();
    if (test->use_empty())
        test->eraseFromParent();
}

/* The one site of the wrapper's own that all its choices fall back on; nullptr: there are several, or hooks
 * (they have none). */
static Constant *onlyOwn(const Take &take) {
    if (!take.left->hasNUses(2 * take.choices.size()))
        return nullptr;
    Value *own = take.choices.empty() ? nullptr : take.choices.front()->getFalseValue();
    bool isOnly = all_of(take.choices, [&](SelectInst *choice) { return choice->getFalseValue() == own; });
    return isOnly ? cast_or_null<Constant>(own) : nullptr;
}

static bool isUsedIn(const Constant &constant, const Function &function) {
    return any_of(constant.users(), [&](const User *user) {
        if (auto *instruction = dyn_cast<Instruction>(user))
            return instruction->getFunction() == &function;
        return !isa<GlobalVariable>(user) && isUsedIn(*cast<Constant>(user), function);
    });
}

/* Code that names no site may be that of another wrapper as well, and a linker that leaves one of the two
 * (--icf) would drop the other's sites: they stay with the entry. */
static void keepSites(Function &entry, const Function &body, Constant &own) {
    auto *sites = cast<GlobalVariable>(own.stripInBoundsOffsets());
    if (sites->hasMetadata(LLVMContext::MD_associated) && !isUsedIn(*sites, body))
        sites->setMetadata(LLVMContext::MD_associated,
                           MDNode::get(entry.getContext(), ValueAsMetadata::get(&entry)));
}

/* For callers that know of no parameter. */
static void addEntry(Function &wrapper, Function &body, Constant *own) {
    LLVMContext &context = wrapper.getContext();
    BasicBlock *block = BasicBlock::Create(context, "", &wrapper);
    Instruction *end = new UnreachableInst(context, block);
    Take take = takeSite(wrapper);
    SmallVector<Value *, 8> values;
    for (Argument &argument : wrapper.args())
        values.push_back(&argument);
    values.push_back(own ? chooseSite(*end, take, own) : take.left);
    IRBuilder<> builder(end);
    CallInst *call = builder.CreateCall(&body, values);
    call->setCallingConv(body.getCallingConv());
    call->setAttributes(wrapper.getAttributes().removeFnAttributes(context));
    call->setTailCall();
    wrapper.addFnAttr(OnlyJumps);
    call->getType()->isVoidTy() ? builder.CreateRetVoid() : builder.CreateRet(call);
    end->eraseFromParent();
}

static void pass(const Leave &leave, Function &body) {
    Value *site = leave.store->getValueOperand();
    leave.store->eraseFromParent();
    callInstead(*leave.call, &body, withSite(*leave.call, site, SITE_LAST));
}

/* Of what only could be a wrapper a reader finds by its own sites whether it is one, though nothing falls
 * back on them: they stay as long as its code does. */
static void keepPossible(const Function &wrapper, const Take &take, Lifting &lifting) {
    if (take.choices.empty() || !Wrappers::of(wrapper)->isPossible)
        return;
    auto *own = cast<Constant>(take.choices.front()->getFalseValue());
    lifting.kept.push_back(cast<GlobalVariable>(own->stripInBoundsOffsets()));
}

static void takeAsParameter(Function &body, Take &take) {
    take.left->replaceAllUsesWith(body.getArg(body.arg_size() - 1));
    take.left->eraseFromParent();
    take.clearing->eraseFromParent();
}

/* A group of several functions (constructors) has to have all of them. */
static bool isUnused(const Function &wrapper) {
    const Comdat *group = wrapper.getComdat();
    return wrapper.use_empty() && wrapper.hasLinkOnceODRLinkage() &&
           (!group || group->getName() == wrapper.getName());
}

/* The body asks whether there is a site, for an entry may have none. */
static void fillSharedBody(Function &wrapper, Take &take, Function &body) {
    moveCode(wrapper, body);
    body.setVisibility(GlobalValue::HiddenVisibility);
    takeAsParameter(body, take);
    if (isUnused(wrapper))
        wrapper.eraseFromParent();
    else
        addEntry(wrapper, body, nullptr);
}

static void passDirectly(Function &wrapper, Take &take, Lifting &lifting) {
    ArrayRef<Leave> leaves = lifting.leaves[&wrapper];
    Function &body = splitOff(wrapper);
    for (const Leave &leave : leaves)
        if (mayPass(*leave.call, wrapper))
            pass(leave, body);
    Constant *own = onlyOwn(take);
    wrapper.removeDeadConstantUsers();
    bool isCalledOtherwise = !wrapper.hasLocalLinkage() || !wrapper.use_empty();
    if (!isCalledOtherwise)
        keepPossible(wrapper, take, lifting);
    if (!isCalledOtherwise || own)
        for (SelectInst *choice : take.choices)
            replace(*choice, body.getArg(wrapper.arg_size()));
    takeAsParameter(body, take);
    if (isCalledOtherwise) {
        addEntry(wrapper, body, own);
        if (own)
            keepSites(wrapper, body, *own);
        return;
    }
    body.takeName(&wrapper);
    wrapper.eraseFromParent();
}

void passDirectly(Lifting &lifting) {
    for (auto &[wrapper, take] : lifting.takes) {
        if (Function *body = lifting.sharedBodies.lookup(wrapper)) {
            fillSharedBody(*wrapper, take, *body);
            continue;
        }
        ArrayRef<Leave> leaves = lifting.leaves[wrapper];
        bool isAny = any_of(
            leaves, [&, called = wrapper](const Leave &leave) { return mayPass(*leave.call, *called); });
        if ((isAny || !twinOf(*wrapper).empty()) && mayHaveParameter(*wrapper))
            passDirectly(*wrapper, take, lifting);
    }
}

} // namespace allocsite
