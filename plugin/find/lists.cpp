/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "find/lists.h"

#include "base/names.h"
#include "base/settings.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/Support/raw_ostream.h>

using namespace llvm;

namespace allocsite {

static allocator_list list;

namespace {

class Message : public DiagnosticInfo {
    std::string text;

  public:
    Message(DiagnosticSeverity severity, std::string text)
        : DiagnosticInfo(getNextAvailablePluginDiagnosticKind(), severity), text(std::move(text)) {}
    void print(DiagnosticPrinter &printer) const override {
        printer << "allocsite: " << text;
    }
};

} // namespace

void reportDiagnostic(LLVMContext &context, DiagnosticSeverity severity, const Twine &message) {
    context.diagnose(Message(severity, message.str()));
}

/* clang cannot diagnose at a location in a file that it has not compiled, so the location is printed
 * first. */
void reportError(LLVMContext &context, StringRef file, unsigned line, const Twine &message) {
    errs() << file << (line ? ":" + Twine(line) : "") << ": error: allocsite: " << message << "\n";
    reportDiagnostic(context, DS_Error, "invalid description of an allocator");
}

/* The options are per process, so the lists are read once. */
static void readLists(LLVMContext &context) {
    static bool areRead;
    if (areRead)
        return;
    areRead = true;
    for (const std::string &path : options().lists) {
        list_error error;
        if (!allocator_list_read(&list, path.c_str(), &error))
            reportError(context, path, error.line, error.text);
    }
}

static StringRef textOf(const Value *pointer) {
    auto *global = dyn_cast<GlobalVariable>(pointer->stripInBoundsOffsets());
    auto *text =
        global && global->hasInitializer() ? dyn_cast<ConstantDataArray>(global->getInitializer()) : nullptr;
    return text && text->isCString() ? text->getAsCString() : "";
}

/* Reads one entry of llvm.global.annotations: function, text, file, line. */
static void readAttribute(LLVMContext &context, const ConstantStruct &annotation,
                          DenseMap<const Function *, Description> &attributes) {
    auto *function = dyn_cast<Function>(annotation.getOperand(0)->stripPointerCasts());
    auto *line = dyn_cast<ConstantInt>(annotation.getOperand(3));
    StringRef text = textOf(annotation.getOperand(1));
    if (!function || !line || !text.consume_front("allocsite:"))
        return;
    Description description = {
        {}, textOf(annotation.getOperand(2)).str(), unsigned(line->getZExtValue()), false};
    list_error error;
    if (listed_function_read(&description.function, text.data(), text.size(), &error))
        attributes[function] = description;
    else
        reportError(context, description.file, description.line, error.text);
}

Lists::Lists(Module &module) {
    readLists(module.getContext());
    const GlobalVariable *all = module.getNamedGlobal("llvm.global.annotations");
    auto *array = all && all->hasInitializer() ? dyn_cast<ConstantArray>(all->getInitializer()) : nullptr;
    for (unsigned i = 0; array && i < array->getNumOperands(); i++)
        if (auto *annotation = dyn_cast<ConstantStruct>(array->getOperand(i)))
            readAttribute(module.getContext(), *annotation, attributes);
}

std::optional<Description> Lists::of(const Function &function) const {
    if (function.getName().find(ListedPrefix) == 0) {
        Description none = {};
        none.function.kind = LISTED_IGNORE;
        return none;
    }
    if (list.count && !function.isIntrinsic()) {
        FunctionName name = Names().of(function);
        const char *names[] = {name.symbol.c_str(), name.shown().c_str(), name.plain().c_str()};
        if (const list_entry *entry = allocator_list_find(&list, names, 3))
            return Description{entry->function, entry->file, entry->line, !!strpbrk(entry->pattern, "*?")};
    }
    auto found = attributes.find(&function);
    return found == attributes.end() ? std::nullopt : std::optional<Description>(found->second);
}

bool isIgnoredSource(const DIFile *file) {
    return file && list.count && allocator_list_ignores(&list, LIST_SOURCES, pathOf(file).c_str());
}

bool isIgnoredType(const std::string &name) {
    return list.count && allocator_list_ignores(&list, LIST_TYPES, name.c_str());
}

} // namespace allocsite
