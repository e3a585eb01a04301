/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "types/types.h"

#include "base/host.h"
#include "base/target.h"
#include "format.h"
#include "types/ast.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/DeclGroup.h>
#include <clang/AST/Mangle.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Basic/TargetInfo.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendPluginRegistry.h>
#include <clang/Serialization/ASTDeserializationListener.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <memory>

using namespace clang;

namespace allocsite {

using Selection = llvm::SmallVector<const Call *, 2>;

/* The state for the source file that is being compiled. */
struct Source {
    ASTContext &context;
    std::vector<const Decl *> deserialized;           // of precompiled headers and modules
    bool clearsAST;                                   // free the AST after the last question
    bool isOneSection;                                // one section holds all functions
    std::unique_ptr<MangleContext> mangler = nullptr; // null: no question yet
    Roots roots = Roots();
    llvm::StringSet<> headers = llvm::StringSet<>(); // system headers; empty: no question yet
    llvm::DenseMap<const Decl *, std::vector<Call>> calls = llvm::DenseMap<const Decl *, std::vector<Call>>();
};

/* Not destroyed at exit: clang's objects that they refer to may be gone by then. */
static Source *source;
static llvm::StringSet<> *spelled;

/* Called after parsing, before code generation. */
static void beginSource(ASTContext &context, std::vector<const Decl *> deserialized, bool clearsAST,
                        bool isOneSection) {
    delete source;
    delete spelled;
    source = new Source{context, std::move(deserialized), clearsAST, isOneSection};
    spelled = new llvm::StringSet<>;
}

/* Deferred until the first question, because many files allocate nothing. */
static void prepareRoots() {
    if (source->mangler)
        return;
    source->mangler.reset(source->context.createMangleContext());
    addRoots(source->context, *source->context.getTranslationUnitDecl(), source->roots);
    for (const Decl *declaration : source->deserialized)
        addRoot(source->context, declaration, source->roots);
}

static std::string withoutDots(llvm::StringRef path) {
    llvm::SmallString<256> name = path;
    llvm::sys::path::remove_dots(name);
    return name.str().str();
}

/* Adds the path as it was opened and the absolute path, because debug info may have either. */
static void addHeader(llvm::StringRef path) {
    llvm::SmallString<256> whole = path;
    llvm::sys::fs::make_absolute(whole);
    source->headers.insert(withoutDots(path));
    source->headers.insert(withoutDots(whole));
}

static void findHeaders() {
    const SourceManager &sources = source->context.getSourceManager();
    for (unsigned i = 0; i < sources.local_sloc_entry_size(); i++) {
        const SrcMgr::SLocEntry &entry = sources.getLocalSLocEntry(i);
        if (entry.isFile() && SrcMgr::isSystem(entry.getFile().getFileCharacteristic()))
            addHeader(entry.getFile().getName());
    }
}

static const std::vector<Call> &callsOf(const Decl *root) {
    auto [position, isNew] = source->calls.try_emplace(root);
    if (isNew)
        position->second = findCalls(source->context, *source->mangler, root);
    return position->second;
}

/* Returns the calls of a root that match the question. A call without a callee's name in the AST (built-in
 * functions) matches only if no other call does. */
static Selection matchingCalls(const std::vector<Call> &calls, const allocsite_types_question &question) {
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

/* If the AST and the IR have different numbers of calls (unreachable code has no call in the IR), the ordinal
 * means nothing. In this case, all calls must have the same type. Empty: they differ. */
static llvm::StringRef typeOf(const Selection &calls, const allocsite_types_question &question) {
    std::string Call::*asked = question.is_of_use ? &Call::use : &Call::type;
    const Call *call = calls.size() == question.count ? calls[question.ordinal] : calls.front();
    bool isSure = calls.size() == question.count ||
                  llvm::all_of(calls, [&](const Call *other) { return other->*asked == call->*asked; });
    llvm::StringRef type = isSure ? llvm::StringRef(call->*asked) : "";
    return isSure && type.empty() && !question.is_of_use ? ALLOCSITE_BYTES : type;
}

/* Returns the type. Empty: unknown. If no symbol matches (lambdas), several functions can be meant, and their
 * types must be equal. */
static llvm::StringRef typeAnswering(const allocsite_types_question &question) {
    llvm::StringRef all;
    bool isFirst = true;
    for (const Decl *root : findRoots(source->context, *source->mangler, source->roots, question)) {
        Selection calls = matchingCalls(callsOf(root), question);
        if (calls.empty())
            continue;
        llvm::StringRef found = typeOf(calls, question);
        if (!isFirst && found != all)
            return "";
        all = found;
        isFirst = false;
    }
    return all;
}

namespace {

#if LLVM_VERSION_MAJOR >= 19
using DeclarationID = GlobalDeclID;
#else
using DeclarationID = serialization::DeclID;
#endif

/* The consumer of a plugin action that runs before the main action. The AST stays in memory until the pass
 * has asked its questions. */
class Consumer : public ASTConsumer, ASTDeserializationListener {
    std::vector<const Decl *> deserialized;
    bool clearsAST, isOneSection;

  public:
    explicit Consumer(bool clearsAST, bool isOneSection) : clearsAST(clearsAST), isOneSection(isOneSection) {}

    /* Receives the definitions of a module that is compiled from its precompiled file. */
    void HandleInterestingDecl(DeclGroupRef declarations) override {
        deserialized.insert(deserialized.end(), declarations.begin(), declarations.end());
    }

    ASTDeserializationListener *GetASTDeserializationListener() override {
        return this;
    }

    /* Receives declarations of precompiled headers and modules when they are first used, before they are read
     * completely. */
    void DeclRead(DeclarationID, const Decl *declaration) override {
        if (isa<FunctionDecl>(declaration) || isa<VarDecl>(declaration))
            deserialized.push_back(declaration);
    }

    /* Receives instantiations of templates from precompiled headers and modules. A search of the file's own
     * declarations misses them. */
    bool HandleTopLevelDecl(DeclGroupRef declarations) override {
        for (const Decl *declaration : declarations) {
            auto *function = dyn_cast<FunctionDecl>(declaration);
            auto *pattern = function ? function->getTemplateInstantiationPattern() : nullptr;
            if (pattern && pattern->isFromASTFile())
                deserialized.push_back(function);
        }
        return true;
    }

    /* The main action runs next: it generates and optimizes the code. A C++ or Clang module that is built
     * meanwhile has a separate consumer, which has finished already. */
    void HandleTranslationUnit(ASTContext &context) override {
        beginSource(context, std::move(deserialized), clearsAST, isOneSection);
    }
};

/* -Rpass=^$ keeps line numbers and matches no pass. But while clang has a pattern, LLVM formats every remark
 * before it drops it. */
void dropEmptyPattern(CodeGenOptions &options) {
    if (options.OptimizationRemark.Pattern == "^$")
        options.OptimizationRemark = {};
}

bool isOneSection(CompilerInstance &compiler) {
    const CodeGenOptions &options = compiler.getCodeGenOpts();
    frontend::ActionKind action = compiler.getFrontendOpts().ProgramAction;
    bool isAny = options.BBSections.empty() || options.BBSections == "none";
    return isAny && !options.FunctionSections && !options.SplitMachineFunctions &&
           (action == frontend::EmitObj || action == frontend::EmitAssembly);
}

class Action : public PluginASTAction {
  protected:
    std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, llvm::StringRef) override {
        CodeGenOptions &options = compiler.getCodeGenOpts();
        dropEmptyPattern(options);
        if (isDevice(compiler.getTarget().getTriple()))
            return std::make_unique<ASTConsumer>(); // the pass asks no questions
        bool clearsAST = options.ClearASTBeforeBackend;
        options.ClearASTBeforeBackend = false;
        return std::make_unique<Consumer>(clearsAST, isOneSection(compiler));
    }
    bool ParseArgs(const CompilerInstance &, const std::vector<std::string> &) override {
        return true;
    }
    ActionType getActionType() override {
        return AddBeforeMainAction;
    }
};

} // namespace

} // namespace allocsite

using namespace allocsite;

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED const char *allocsite_types_v1_find(const struct allocsite_types_question *question) {
    if (!source)
        return nullptr;
    prepareRoots();
    llvm::StringRef found = typeAnswering(*question);
    return found.empty() ? nullptr : spelled->insert(found).first->getKeyData();
}

EXPORTED int allocsite_types_v1_is_system(const char *path) {
    if (source && source->headers.empty())
        findHeaders();
    return source && source->headers.count(withoutDots(path));
}

EXPORTED bool allocsite_types_v1_one_section(void) {
    return source && source->isOneSection;
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

/* Runs before the registration below, which already uses the object layout of this LLVM major. */
__attribute__((constructor(101))) static void refuseOtherHosts() {
    host_require(LLVM_VERSION_MAJOR, "clang");
}

static FrontendPluginRegistry::Add<Action> registration("allocsite-types", "types of allocations");
