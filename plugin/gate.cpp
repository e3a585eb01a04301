/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gate.h"

#include <llvm/IR/GlobalAlias.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>

#include "../rt/format.h"
#include "compat.h"
#include "stable_hash.h"
#include "twin.h"

using namespace llvm;

namespace allocsite {

/* What calls of the gate come to, of its type, and rarely. */
static Function &addLocal(const Function &gate, const char *suffix) {
    Function *local =
        Function::Create(gate.getFunctionType(), GlobalValue::InternalLinkage, gate.getAddressSpace(),
                         gate.getName() + suffix, const_cast<Module *>(gate.getParent()));
    local->setAttributes(gate.getAttributes());
    local->addFnAttr(Attribute::Cold);
    local->addFnAttr(Attribute::NoInline);
    return *local;
}

static GlobalVariable &addGlobal(Module &module, Constant *value, const Twine &name) {
    return *new GlobalVariable(module, value->getType(), false, GlobalValue::PrivateLinkage, value, name);
}

static Constant *pointerTo(Function &function) {
    return ConstantExpr::getBitCast(&function, pointerType(function.getContext()));
}

static void jump(IRBuilder<> &builder, Function &from, Value *to) {
    SmallVector<Value *, 8> values;
    for (Argument &argument : from.args())
        values.push_back(&argument);
    CallInst *call = builder.CreateCall(from.getFunctionType(), to, values);
    call->setAttributes(from.getAttributes().removeFnAttributes(from.getContext()));
    call->setTailCallKind(CallInst::TCK_MustTail);
    call->getType()->isVoidTy() ? builder.CreateRetVoid() : builder.CreateRet(call);
}

/* Where jumps by pointers are hardened, or reach anywhere, the compiler has to make them. */
static bool mayWriteJump(const Function &gate) {
    const Module &module = *gate.getParent();
    StringRef features = gate.getFnAttribute("target-features").getValueAsString();
    return Triple(module.getTargetTriple()).getArch() == Triple::x86_64 &&
           module.getCodeModel() != CodeModel::Large && !features.contains("+retpoline") &&
           !features.contains("+lvi-") && !features.contains("+harden-sls");
}

/* Of two and more parameters the compiler would make two instructions, a load and a jump. */
static void writeJump(IRBuilder<> &builder, Function &gate, Value *where) {
    auto *type = FunctionType::get(builder.getVoidTy(), where->getType(), false);
    builder.CreateCall(InlineAsm::get(type, "jmpq *${0:c}(%rip)", "i", true), where);
    builder.CreateUnreachable();
    for (auto attribute : {Attribute::Naked, Attribute::NoInline, Attribute::DisableSanitizerInstrumentation})
        gate.addFnAttr(attribute);
}

/* Not atomic: whoever sees it late goes the longer way, and a thread that writes it meanwhile writes a whole
 * word. */
static void jumpWhere(Function &gate, Value *where) {
    LLVMContext &context = gate.getContext();
    IRBuilder<> builder(BasicBlock::Create(context, "", &gate));
    if (mayWriteJump(gate))
        writeJump(builder, gate, where);
    else
        jump(builder, gate,
             builder.CreateBitCast(builder.CreateLoad(pointerType(context), where), gate.getType()));
}

/* What the name reaches only the dynamic linker knows, whatever an optimizer thinks of it. */
static Value *isReached(IRBuilder<> &builder, Function &wrapper) {
    GlobalVariable &name =
        addGlobal(*wrapper.getParent(), &wrapper, wrapper.getName() + ALLOCSITE_SITED ".named");
    auto *own =
        GlobalAlias::create(wrapper.getValueType(), wrapper.getAddressSpace(), GlobalValue::InternalLinkage,
                            wrapper.getName() + ALLOCSITE_SITED ".own", &wrapper);
    return builder.CreateICmpEQ(builder.CreateLoad(wrapper.getType(), &name, true), own);
}

void addGate(Function &gate, Function &wrapper, Function &code, Lifting &lifting) {
    Function &leaving = addLocal(gate, ".leaving"), &first = addLocal(gate, ".first");
    leaveAndCall(leaving, wrapper, lifting);
    GlobalVariable &where = addGlobal(*gate.getParent(), pointerTo(first), gate.getName() + ".where");
    jumpWhere(gate, &where);
    IRBuilder<> builder(BasicBlock::Create(first.getContext(), "", &first));
    Value *to = builder.CreateSelect(isReached(builder, wrapper), &code, &leaving);
    builder.CreateAlignedStore(builder.CreateBitCast(to, where.getValueType()), &where, Align(8))
        ->setAtomic(AtomicOrdering::Monotonic);
    jump(builder, first, to);
}

/* The types of the parameters are the end of the twin's name. */
static Constant *tagOf(LLVMContext &context, StringRef twin) {
    StringRef types = twin.rsplit('.').second;
    uint64_t state = stable_hash_text(stable_hash_begin(), ALLOCSITE_SITED, strlen(ALLOCSITE_SITED));
    state = stable_hash_end(stable_hash_text(state, types.data(), types.size()));
    return ConstantInt::get(Type::getInt64Ty(context), state);
}

static Constant *distance(Constant *to, Constant *from) {
    Type *type = Type::getInt64Ty(to->getContext());
    return ConstantExpr::getSub(ConstantExpr::getPtrToInt(to, type), ConstantExpr::getPtrToInt(from, type));
}

/* In a file for a fixed address, to ask for what a call jumps to makes that the function's address for all
 * modules, and gates would take it for another function: unless it is said that it may be elsewhere. Where
 * the program takes the address it is so anyway. */
static Constant *calledPlace(Function &wrapper) {
    if (!wrapper.hasAddressTaken())
        wrapper.setDSOLocal(false);
    return DSOLocalEquivalent::get(&wrapper);
}

/* struct allocsite_way. What a call jumps to, the function or its entry in the linkage table, needs no
 * dynamic relocation, so that the name is bound at the first call, or never. */
static GlobalVariable &makeWay(Function &standIn, Function &wrapper, Function &first, Function &leaving) {
    Module &module = *standIn.getParent();
    LLVMContext &context = module.getContext();
    Type *pointer = pointerType(context), *i32 = Type::getInt32Ty(context);
    StructType *type = StructType::get(pointer, pointer, Type::getInt64Ty(context), i32, i32);
    GlobalVariable &way = addGlobal(module, ConstantAggregateZero::get(type), standIn.getName() + ".way");
    Constant *callee = ConstantExpr::getInBoundsGetElementPtr(
        type, &way, ArrayRef<Constant *>{ConstantInt::get(i32, 0), ConstantInt::get(i32, 3)});
    Constant *linked = ConstantExpr::getTrunc(distance(calledPlace(wrapper), callee), i32);
    way.setInitializer(
        ConstantStruct::get(type, {pointerTo(first), pointerTo(leaving), tagOf(context, standIn.getName()),
                                   linked, ConstantInt::get(i32, 0)}));
    return way;
}

static void findWay(Function &first, GlobalVariable &way) {
    IRBuilder<> builder(first.back().getTerminator());
    auto *type = FunctionType::get(builder.getVoidTy(), way.getType(), false);
    builder.CreateCall(first.getParent()->getOrInsertFunction(ALLOCSITE_ENTRY_PREFIX "lead", type), &way);
}

void addWay(Function &standIn, Function &wrapper, Lifting &lifting) {
    Function &leaving = addLocal(standIn, ".leaving"), &first = addLocal(standIn, ".first");
    leaveAndCall(leaving, wrapper, lifting);
    leaveAndCall(first, wrapper, lifting);
    GlobalVariable &way = makeWay(standIn, wrapper, first, leaving);
    findWay(first, way);
    IRBuilder<> builder(standIn.getContext());
    jumpWhere(standIn, builder.CreateConstInBoundsGEP2_32(way.getValueType(), &way, 0, 0));
    for (GlobalObject *part : {static_cast<GlobalObject *>(&leaving), static_cast<GlobalObject *>(&first),
                               static_cast<GlobalObject *>(&way)})
        part->setComdat(standIn.getComdat());
}

void tellWay(Function &wrapper, Function &code, StringRef twin) {
    LLVMContext &context = wrapper.getContext();
    if (!wrapper.hasPrefixData())
        wrapper.setPrefixData(ConstantStruct::getAnon({distance(&code, &wrapper), tagOf(context, twin)}));
}

} // namespace allocsite
