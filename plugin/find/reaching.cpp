/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "find/find.h"

#include "base/names.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>

using namespace llvm;

namespace allocsite {

/* Functions of the C and math libraries that neither allocate nor call back. The list has those that programs
 * call most, and only names that ISO C or POSIX threads reserve, because a program may define any other. A
 * function that is missing in the list costs a store before each of its calls. Functions that end the program
 * or throw may call back, but from frames of the library, beyond which the runtime trusts no context: the
 * message of a failed assertion, for example, is allocated from such a frame. These functions are listed
 * nevertheless, because most functions of a program reach one of them. */
static constexpr StringLiteral nonAllocating =
    " "
    "_Exit __ctype_b_loc __ctype_get_mb_cur_max __ctype_tolower_loc __ctype_toupper_loc "
    "__assert_fail __cxa_begin_catch __cxa_guard_release __cxa_rethrow __cxa_throw __dynamic_cast "
    "__errno_location __finite __fpclassify "
    "_ZSt9terminatev __isinf __isinff __isnan __isnanf __longjmp_chk __memcpy_chk __memmove_chk __memset_chk "
    "__signbit __sigsetjmp __stack_chk_fail __stpcpy_chk __strcat_chk __strcpy_chk __strncat_chk "
    "__strncpy_chk _exit _longjmp _setjmp abort abs acos acosf acosh asin asinf asinh atan atan2 atan2f "
    "atanf atanh atof atoi atol atoll bcmp cbrt cbrtf ceil ceilf clearerr copysign cos cosf cosh div "
    "erf erfc exp exp2 exp2f expf explicit_bzero expm1 fabs fabsf fdim feof ferror fileno floor "
    "floorf fmax fmaxf fmin fminf fmod fmodf frexp frexpf getenv hypot isalnum isalpha iscntrl "
    "isdigit isgraph islower isprint ispunct isspace isupper isxdigit labs ldexp ldexpf ldiv lgamma "
    "llabs llrint llround log log10 log10f log1p log2 log2f logf longjmp lrint lround lroundf "
    "malloc_usable_size memccpy memchr memcmp memcpy memmem memmove mempcpy memrchr memset modf nan "
    "nearbyint pow powf pthread_cond_broadcast pthread_cond_signal pthread_cond_wait pthread_equal "
    "pthread_getspecific pthread_mutex_lock pthread_mutex_trylock pthread_mutex_unlock "
    "pthread_rwlock_rdlock pthread_rwlock_unlock pthread_rwlock_wrlock pthread_self "
    "pthread_spin_lock pthread_spin_unlock rand rawmemchr remainder rint rintf round roundf scalbn "
    "setjmp sigaddset sigdelset sigemptyset sigfillset sigismember siglongjmp sigsetjmp sin sincos "
    "sincosf sinf sinh sqrt sqrtf srand stpcpy stpncpy strcasecmp strcasestr strcat strchr strchrnul "
    "strcmp strcpy strcspn strlen strncasecmp strncat strncmp strncpy strnlen strpbrk strrchr strsep "
    "strspn strstr strtod strtof strtok strtok_r strtol strtold strtoll strtoul strtoull tan tanf "
    "tanh tgamma tolower toupper trunc truncf wcscmp wcslen wmemcmp wmemcpy wmemmove wmemset ";

static bool isNonAllocating(StringRef symbol) {
    return !symbol.empty() && !symbol.contains(' ') && nonAllocating.contains((" " + symbol + " ").str());
}

static constexpr const char *Quiet = "allocsite-quiet";

static bool isOneOfAll(const Function &function) {
    return function.hasLinkOnceODRLinkage() || function.hasWeakODRLinkage();
}

/* Returns whether the body in this module decides. */
bool Reaching::isBodyDecisive(const Function &function) const {
    return !function.isDeclaration() && (isOnlyCode(function) || (isAsWritten && isOneOfAll(function)));
}

/* Returns whether assembly code calls only the kernel. */
static bool callsOnlyKernel(const InlineAsm &code) {
    StringRef text = code.getAsmString();
    return text.count("call") == text.count("syscall") && !text.contains("jmp");
}

/* Returns whether an entry point of the runtime may allocate. Freeing a block never reaches an allocation. */
static bool isEntryThatAllocates(StringRef name) {
    name.consume_back(ALLOCSITE_BY_CONTEXT_SUFFIX);
    const allocator *row = allocator_find(name.data(), name.size());
    return row && row->kind != ALLOCSITE_FREE;
}

static bool mayAllocateElsewhere(const Function &callee) {
    StringRef name = symbolOf(callee);
    if (callee.isIntrinsic())
        return false;
    if (name.consume_front(ALLOCSITE_ENTRY_PREFIX))
        return isEntryThatAllocates(name);
    const allocator *row = allocatorThatIs(callee);
    return !callee.isDeclaration() || !(isNonAllocating(name) || (row && row->kind == ALLOCSITE_FREE));
}

bool Reaching::mayAllocate(const CallBase &call) const {
    if (auto *code = dyn_cast<InlineAsm>(call.getCalledOperand()))
        return !callsOnlyKernel(*code);
    const Function *callee = surelyCalled(call);
    if (!callee)
        return true;
    if (callee->hasFnAttribute(Quiet))
        return false;
    return isBodyDecisive(*callee) ? functions.contains(callee) : mayAllocateElsewhere(*callee);
}

/* Propagates from functions with a call that may allocate to their callers, until nothing changes. */
Reaching::Reaching(const Module &module, bool isAsWritten) : isAsWritten(isAsWritten) {
    DenseMap<const Function *, SmallVector<const Function *, 4>> callers;
    SmallVector<const Function *, 32> found;
    for (const Function &function : module)
        for (const Instruction &instruction : instructions(function)) {
            auto *call = dyn_cast<CallBase>(&instruction);
            const Function *callee = call ? surelyCalled(*call) : nullptr;
            if (callee && isBodyDecisive(*callee))
                callers[callee].push_back(&function);
            else if (call && mayAllocate(*call) && functions.insert(&function).second)
                found.push_back(&function);
        }
    while (!found.empty())
        for (const Function *caller : callers[found.pop_back_val()])
            if (functions.insert(caller).second)
                found.push_back(caller);
}

void noteQuiet(Module &module, const Reaching &reaching) {
    for (Function &function : module)
        if (!function.isDeclaration() && isOneOfAll(function) && !reaching.functions.contains(&function))
            function.addFnAttr(Quiet);
}

} // namespace allocsite
