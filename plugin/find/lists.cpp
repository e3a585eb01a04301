/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "find/lists.h"

#include "base/settings.h"
#include "site/names.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/Support/raw_ostream.h>

using namespace llvm;

namespace allocsite {

static allocator_list list;

namespace {

/* clang knows no place in a file that it has not compiled, so that line comes ahead. */
class BadList : public DiagnosticInfo {
  public:
    BadList() : DiagnosticInfo(getNextAvailablePluginDiagnosticKind(), DS_Error) {}
    void print(DiagnosticPrinter &printer) const override {
        printer << "allocsite: what is said of the allocators cannot be used";
    }
};

} // namespace

void complain(LLVMContext &context, StringRef file, unsigned line, const Twine &what) {
    errs() << file << (line ? ":" + Twine(line) : "") << ": error: allocsite: " << what << "\n";
    context.diagnose(BadList());
}

/* The options are those of the process, so what they name is read once. */
static void readLists(LLVMContext &context) {
    static bool areRead;
    if (areRead)
        return;
    areRead = true;
    for (const std::string &path : options().lists) {
        list_error error;
        if (!allocator_list_read(&list, path.c_str(), &error))
            complain(context, path, error.line, error.text);
    }
}

static StringRef textOf(const Value *pointer) {
    auto *global = dyn_cast<GlobalVariable>(pointer->stripInBoundsOffsets());
    auto *text =
        global && global->hasInitializer() ? dyn_cast<ConstantDataArray>(global->getInitializer()) : nullptr;
    return text && text->isCString() ? text->getAsCString() : "";
}

/* One of llvm.global.annotations: what, with which text, and where that stands. */
static void readAttribute(LLVMContext &context, const ConstantStruct &annotation,
                          DenseMap<const Function *, Said> &attributes) {
    auto *function = dyn_cast<Function>(annotation.getOperand(0)->stripPointerCasts());
    auto *line = dyn_cast<ConstantInt>(annotation.getOperand(3));
    StringRef text = textOf(annotation.getOperand(1));
    if (!function || !line || !text.consume_front("allocsite:"))
        return;
    Said said = {{}, textOf(annotation.getOperand(2)).str(), unsigned(line->getZExtValue()), false};
    list_error error;
    if (listed_function_read(&said.function, text.data(), text.size(), &error))
        attributes[function] = said;
    else
        complain(context, said.file, said.line, error.text);
}

Lists::Lists(Module &module) {
    readLists(module.getContext());
    const GlobalVariable *all = module.getNamedGlobal("llvm.global.annotations");
    auto *array = all && all->hasInitializer() ? dyn_cast<ConstantArray>(all->getInitializer()) : nullptr;
    for (unsigned i = 0; array && i < array->getNumOperands(); i++)
        if (auto *annotation = dyn_cast<ConstantStruct>(array->getOperand(i)))
            readAttribute(module.getContext(), *annotation, attributes);
}

std::optional<Said> Lists::of(const Function &function) const {
    if (list.count && !function.isIntrinsic()) {
        FunctionName name = Names().of(function);
        const char *names[] = {name.symbol.c_str(), name.shown.c_str(), name.plain.c_str()};
        if (const list_entry *entry = allocator_list_find(&list, names, 3))
            return Said{entry->function, entry->file, entry->line, !!strpbrk(entry->pattern, "*?")};
    }
    auto found = attributes.find(&function);
    return found == attributes.end() ? std::nullopt : std::optional<Said>(found->second);
}

/* Of what is lifted only nothing tells but the arguments. */
static allocsite_kind kindOf(const listed_function &function) {
    switch (function.kind) {
    case LISTED_REALLOC:
        return ALLOCSITE_REALLOC;
    case LISTED_FREE:
    case LISTED_RELEASE:
        return ALLOCSITE_FREE;
    case LISTED_WRAPPER:
        return !function.pointer ? ALLOCSITE_ALLOC : function.size ? ALLOCSITE_REALLOC : ALLOCSITE_FREE;
    default:
        return ALLOCSITE_ALLOC;
    }
}

std::optional<Listing> Lists::listing(const Function &function) const {
    std::optional<Said> said = of(function);
    if (!said)
        return std::nullopt;
    const listed_function &what = said->function;
    Listing listing;
    listing.isIgnored = what.kind == LISTED_IGNORE || what.kind == LISTED_MARK || what.kind == LISTED_BACKING;
    listing.isCustom = what.kind != LISTED_WRAPPER;
    listing.wrapper.kind = kindOf(what);
    listing.wrapper.origin = ALLOCSITE_BY_LIST;
    listing.wrapper.size = what.size, listing.wrapper.count = what.count;
    listing.wrapper.align = what.align, listing.wrapper.pointer = what.pointer;
    return listing;
}

bool isIgnoredSource(const DIFile *file) {
    return file && list.count && allocator_list_ignores(&list, LIST_SOURCES, pathOf(file).c_str());
}

bool isIgnoredType(const std::string &name) {
    return list.count && allocator_list_ignores(&list, LIST_TYPES, name.c_str());
}

} // namespace allocsite
