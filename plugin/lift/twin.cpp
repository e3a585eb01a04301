/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lift/twin.h"

#include "base/compat.h"
#include "base/settings.h"
#include "lift/site_argument.h"
#include "lift/unwinding.h"
#include "wrap/wrappers.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

using namespace llvm;

namespace allocsite {

/* Pointers to whatever are one letter, as they are one type from LLVM 17 on. 0: there is none. */
static char letterOf(const Type *type) {
    if (type->isPointerTy())
        return 'p';
    if (type->isVoidTy())
        return 'v';
    if (type->isFloatTy())
        return 'f';
    if (type->isDoubleTy())
        return 'd';
    switch (type->isIntegerTy() ? type->getIntegerBitWidth() : 0) {
    case 1:
        return 'b';
    case 8:
        return 'c';
    case 16:
        return 's';
    case 32:
        return 'i';
    case 64:
        return 'l';
    default:
        return 0;
    }
}

static bool isPlain(const Argument &argument) {
    return !argument.hasPassPointeeByValueCopyAttr() && !argument.hasStructRetAttr() &&
           !argument.hasNestAttr() && !argument.hasInRegAttr();
}

/* A call of the wrapper with another type, which happens to work without the site, finds no twin to disturb.
 * Behind an @ there is a version, which has to come last. */
static std::string nameFor(const Function &wrapper) {
    StringRef symbol = wrapper.getName();
    symbol.consume_front("\1");
    if (!options().twins || wrapper.isVarArg() || wrapper.getCallingConv() != CallingConv::C ||
        !wrapper.hasExternalLinkage() || symbol.contains('@') || !all_of(wrapper.args(), isPlain))
        return "";
    std::string name = symbol.str() + ALLOCSITE_SITED ".";
    name += letterOf(wrapper.getReturnType());
    for (Type *type : wrapper.getFunctionType()->params())
        name += letterOf(type);
    return name.find('\0') == std::string::npos ? name : "";
}

/* Directives of the assembler may give a function a version in this file alone. */
static bool hasVersions(const Module &module) {
    return StringRef(module.getModuleInlineAsm()).contains(".symver");
}

/* In LTO every function with sites is in a group (Table::group), which nothing else is in. */
std::string twinOf(const Function &wrapper) {
    const Comdat *group = wrapper.getComdat();
    bool isOnly = wrapper.isStrongDefinitionForLinker() && wrapper.isDSOLocal() &&
                  (!group || group->getSelectionKind() == Comdat::NoDeduplicate);
    return isOnly ? nameFor(wrapper) : "";
}

/* Other modules may replace what they see of a library, so that has no twin. */
static bool mayHaveTwin(const Function &wrapper) {
    const Module &module = *wrapper.getParent();
    bool isForLibrary = module.getPICLevel() != PICLevel::NotPIC && module.getPIELevel() == PIELevel::Default;
    return wrapper.isDeclaration() && (wrapper.isDSOLocal() || !isForLibrary);
}

/* Not where nothing is optimized: a debugger that steps into the wrapper would step over the stand-in. No
 * twins are known of the functions of libraries. */
static std::string nameFor(const CallBase &call, const Function &wrapper) {
    bool isOther = call.isMustTailCall() || call.getFunctionType() != wrapper.getFunctionType();
    if (isOther || !mayHaveTwin(wrapper) || call.getFunction()->hasOptNone() ||
        Wrappers::of(wrapper)->isLibrary || allocatesInside(wrapper) || hasVersions(*wrapper.getParent()))
        return "";
    return nameFor(wrapper);
}

/* The function of that name, without code as yet. */
static Function &declareTwin(const std::string &name, Function &wrapper) {
    Module &module = *wrapper.getParent();
    if (Function *known = module.getFunction(name))
        return *known;
    SmallVector<Type *, 8> types;
    types.append(wrapper.getFunctionType()->param_begin(), wrapper.getFunctionType()->param_end());
    types.push_back(pointerType(module.getContext()));
    auto *type = FunctionType::get(wrapper.getReturnType(), types, false);
    Function *twin = Function::createWithDefaultAttr(type, GlobalValue::ExternalLinkage,
                                                     wrapper.getAddressSpace(), name, &module);
    AttributeSet defaults = twin->getAttributes().getFnAttrs();
    twin->setAttributes(wrapper.getAttributes());
    for (Attribute attribute : defaults)
        twin->addFnAttr(attribute);
    twin->setVisibility(GlobalValue::HiddenVisibility);
    return *twin;
}

bool callTwin(const AllocatorCall &found, Value *site, Lifting &lifting) {
    std::string name = found.what || !found.callee ? "" : nameFor(*found.call, *found.callee);
    if (name.empty())
        return false;
    Function &twin = declareTwin(name, *found.callee);
    lifting.standIns.insert({&twin, found.callee});
    forgetMemoryEffects(twin);
    forgetMemoryEffects(*found.call);
    forgetMemoryEffects(*found.call->getFunction());
    callInstead(*found.call, &twin, withSite(*found.call, site, SITE_LAST));
    return true;
}

/* The function that all files have the same of, and that the linker gives up for a twin. */
static void makeStandIn(Function &standIn) {
    Comdat *group = standIn.getParent()->getOrInsertComdat(standIn.getName());
    group->setSelectionKind(Comdat::Any);
    standIn.setComdat(group);
    standIn.setLinkage(GlobalValue::WeakAnyLinkage);
}

/* The code of a function with the site as one more parameter that leaves it for the wrapper. */
static void leaveAndCall(Function &from, Function &wrapper, Lifting &lifting) {
    LLVMContext &context = wrapper.getContext();
    IRBuilder<> builder(BasicBlock::Create(context, "", &from));
    SmallVector<Value *, 8> values;
    for (Argument &argument : from.args())
        values.push_back(&argument);
    Value *site = values.pop_back_val();
    CallInst *call = builder.CreateCall(&wrapper, values);
    call->setAttributes(wrapper.getAttributes().removeFnAttributes(context));
    call->getType()->isVoidTy() ? builder.CreateRetVoid() : builder.CreateRet(call);
    AllocatorCall found = {call, &wrapper, nullptr};
    leaveSite(found, site, lifting);
    clearWhenUnwound(from, found);
}

void addStandIns(Lifting &lifting) {
    for (auto &[standIn, wrapper] : lifting.standIns) {
        makeStandIn(*standIn);
        leaveAndCall(*standIn, *wrapper, lifting);
    }
}

} // namespace allocsite
