/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "types/answer.h"

#include "types/calls.h"
#include "types/roots.h"
#include "types/types.h"

#include <clang/AST/Mangle.h>
#include <llvm/ADT/StringSet.h>
#include <memory>

using namespace clang;

namespace allocsite {

using Selection = llvm::SmallVector<const Call *, 2>;

struct Source {
    ASTContext &context;
    std::vector<const Decl *> deserialized;
    bool clearsAST;
    std::unique_ptr<MangleContext> mangler = nullptr; // null: nobody has asked yet
    Roots roots = Roots();
    llvm::DenseMap<const Decl *, std::vector<Call>> calls = llvm::DenseMap<const Decl *, std::vector<Call>>();
};

/* Not destroyed at exit: clang's own part of it may be gone by then. */
static Source *source;
static llvm::StringSet<> *spelled;

void beginSource(ASTContext &context, std::vector<const Decl *> deserialized, bool clearsAST) {
    delete source;
    delete spelled;
    source = new Source{context, std::move(deserialized), clearsAST};
    spelled = new llvm::StringSet<>;
}

/* On the first question: many files allocate nothing. */
static void prepare() {
    if (source->mangler)
        return;
    source->mangler.reset(source->context.createMangleContext());
    addRoots(source->context, *source->context.getTranslationUnitDecl(), source->roots);
    for (const Decl *declaration : source->deserialized)
        addRoot(source->context, declaration, source->roots);
}

static const std::vector<Call> &callsOf(const Decl *root) {
    auto [position, isNew] = source->calls.try_emplace(root);
    if (isNew)
        position->second = findCalls(source->context, *source->mangler, root);
    return position->second;
}

/* Those in question among the calls of a root. Where the AST names no callee (built-in functions) the call is
 * meant if no other is. */
static Selection select(const std::vector<Call> &calls, const allocsite_types_question &question) {
    Selection named, nameless;
    for (const Call &call : calls) {
        if (call.line != question.line || (question.column && call.column != question.column))
            continue;
        if (call.callee == question.callee)
            named.push_back(&call);
        else if (call.callee.empty())
            nameless.push_back(&call);
    }
    return named.empty() ? nameless : named;
}

/* Two different countings (code that is never reached has no call in the IR) say nothing of the order: then
 * all have to agree. */
static llvm::StringRef typeOf(const Selection &calls, const allocsite_types_question &question) {
    if (calls.size() == question.count)
        return calls[question.ordinal]->type;
    for (const Call *call : calls)
        if (call->type != calls.front()->type)
            return "";
    return calls.front()->type;
}

/* Empty: unknown. Several functions can be in question where the symbol does not tell (lambdas). */
static llvm::StringRef answer(const allocsite_types_question &question) {
    llvm::StringRef type;
    bool isFirst = true;
    for (const Decl *root : findRoots(source->context, *source->mangler, source->roots, question)) {
        Selection calls = select(callsOf(root), question);
        if (calls.empty())
            continue;
        llvm::StringRef found = typeOf(calls, question);
        if (!isFirst && found != type)
            return "";
        type = found;
        isFirst = false;
    }
    return type;
}

} // namespace allocsite

using namespace allocsite;

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED const char *allocsite_types_v1_find(const struct allocsite_types_question *question) {
    if (!source)
        return nullptr;
    prepare();
    llvm::StringRef type = answer(*question);
    return type.empty() ? nullptr : spelled->insert(type).first->getKeyData();
}

EXPORTED void allocsite_types_v1_finish(void) {
    if (!source)
        return;
    ASTContext &context = source->context;
    bool clearsAST = source->clearsAST;
    delete source;
    source = nullptr;
    if (!clearsAST)
        return;
    context.cleanup();
    context.getAllocator().Reset();
}
