/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "types/ast.h"

#include "types/spell.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Support/SaveAndRestore.h>

using namespace clang;

namespace allocsite {

struct Walk {
    ASTContext &context;
    MangleContext &mangler;
    const Stmt *body;          // body of the function
    QualType returned;         // its return type
    SourceLocation call;       // innermost call around the visited expression
    SourceLocation defaulting; // the call whose default argument is visited
    std::vector<Call> calls;
};

std::string symbolOf(MangleContext &mangler, GlobalDecl function) {
    auto *declaration = cast<NamedDecl>(function.getDecl());
    std::string symbol;
    llvm::raw_string_ostream stream(symbol);
    if (mangler.shouldMangleDeclName(declaration))
        mangler.mangleName(function, stream);
    else if (const IdentifierInfo *name = declaration->getIdentifier())
        stream << name->getName();
    stream.flush();
    return !symbol.empty() && symbol[0] == '\1' ? symbol.substr(1) : symbol;
}

static std::string calleeOf(Walk &walk, const FunctionDecl *callee) {
    if (!callee || isa<CXXConstructorDecl>(callee) || isa<CXXDestructorDecl>(callee))
        return "";
    std::string symbol = symbolOf(walk.mangler, callee);
    llvm::StringRef name = symbol;
    if (!callee->getBuiltinID() || !name.consume_front("__builtin_"))
        return symbol;
    return name.consume_front("operator") ? "" : name.str();
}

/* Returns the location that clang's debug info gives an expression. A default argument has the location of
 * its use. A macro argument has its own location from clang 22 on, and the location of the macro before. */
static PresumedLoc placeOf(const Walk &walk, const Expr *expression) {
    const SourceManager &sources = walk.context.getSourceManager();
    SourceLocation location = walk.defaulting.isValid() ? walk.defaulting : expression->getExprLoc();
#if LLVM_VERSION_MAJOR >= 22
    location = sources.getFileLoc(location);
#endif
    return sources.getPresumedLoc(location);
}

static void addCall(Walk &walk, const Expr *call, const FunctionDecl *callee, std::string type,
                    std::string use) {
    PresumedLoc place = placeOf(walk, call);
    if (place.isValid())
        walk.calls.push_back(
            {place.getLine(), place.getColumn(), calleeOf(walk, callee), std::move(type), std::move(use)});
}

/* Returns null for a virtual function: the IR may call it through a pointer, without its name. */
static const FunctionDecl *surelyCalled(const CallExpr *call) {
    const FunctionDecl *callee = call->getDirectCallee();
    auto *method = dyn_cast_or_null<CXXMethodDecl>(callee);
    return method && method->isVirtual() ? nullptr : callee;
}

static void visitStatement(Walk &walk, const Stmt *statement, Use use);

static void visitChildren(Walk &walk, const Stmt *statement) {
    for (const Stmt *child : statement->children())
        visitStatement(walk, child, {});
}

static bool handsBlock(const CallExpr *call) {
    if (call->getType()->isAnyPointerType() || call->getType()->isRecordType())
        return true;
    QualType first = call->getNumArgs() > 0 ? call->getArg(0)->IgnoreParenCasts()->getType() : QualType();
    bool isOut = !first.isNull() && first->isAnyPointerType() && first->getPointeeType()->isAnyPointerType();
    return isOut;
}

static void visitCall(Walk &walk, const CallExpr *call, Use use) {
    llvm::SaveAndRestore<SourceLocation> inCall(walk.call, call->getExprLoc());
    visitChildren(walk, call);
    std::string byUse = typeByUse(walk.context, call, use);
    if (handsBlock(call) || !byUse.empty())
        addCall(walk, call, surelyCalled(call), typeOfCall(walk.context, call, use), std::move(byUse));
}

/* If a call returns the memory for a placement new, the call allocates the type of the new object. */
static void visitNew(Walk &walk, const CXXNewExpr *made) {
    bool isPlaced =
        made->getNumPlacementArgs() == 1 && made->getOperatorNew()->isReservedGlobalPlacementOperator();
    for (const Stmt *child : made->children())
        visitStatement(walk, child,
                       isPlaced && child == made->getPlacementArg(0) ? Use{made->getAllocatedType(), {}}
                                                                     : Use());
    std::string type = typeOfNew(walk.context, made);
    addCall(walk, made, made->getOperatorNew(), type, type);
}

/* Returns the type of the object that a placement new makes in the variable's memory; null: none. */
static QualType madeAt(const Stmt *statement, const VarDecl *variable) {
    auto *made = dyn_cast_or_null<CXXNewExpr>(statement);
    const Expr *place = made && made->getNumPlacementArgs() == 1 ? made->getPlacementArg(0) : nullptr;
    auto *name = place ? dyn_cast<DeclRefExpr>(place->IgnoreParenCasts()) : nullptr;
    if (name && name->getDecl() == variable)
        return made->getAllocatedType();
    QualType found;
    if (statement)
        for (const Stmt *child : statement->children())
            if (found.isNull())
                found = madeAt(child, variable);
    return found;
}

static void visitVariable(Walk &walk, const VarDecl *variable) {
    if (!variable->hasInit())
        return;
    bool isRaw = walk.context.getLangOpts().CPlusPlus && variable->getType()->isVoidPointerType();
    QualType target = isRaw ? madeAt(walk.body, variable) : pointee(variable->getType());
    visitStatement(walk, variable->getInit(), {{}, target});
}

/* The right side of an assignment is evaluated first, as in the code that clang generates. */
static void visitOperator(Walk &walk, const BinaryOperator *binary, Use use) {
    if (binary->isAssignmentOp()) {
        QualType target = pointee(binary->getLHS()->getType());
        visitStatement(walk, binary->getRHS(), {use.cast, target.isNull() ? use.target : target});
        visitStatement(walk, binary->getLHS(), {});
        return;
    }
    visitStatement(walk, binary->getLHS(), {});
    visitStatement(walk, binary->getRHS(), binary->isCommaOp() ? use : Use());
}

static void visitConditional(Walk &walk, const AbstractConditionalOperator *choice, Use use) {
    if (auto *binary = dyn_cast<BinaryConditionalOperator>(choice)) {
        visitStatement(walk, binary->getCommon(), use);
    } else {
        visitStatement(walk, choice->getCond(), {});
        visitStatement(walk, choice->getTrueExpr(), use);
    }
    visitStatement(walk, choice->getFalseExpr(), use);
}

static void visitDefault(Walk &walk, const CXXDefaultArgExpr *argument, Use use) {
    SourceLocation location = walk.call.isValid() ? walk.call : argument->getUsedLocation();
    llvm::SaveAndRestore<SourceLocation> inDefault(walk.defaulting, location);
    visitStatement(walk, argument->getExpr(), use);
}

/* The value of a statement expression is the value of its last statement. */
static void visitStatements(Walk &walk, const CompoundStmt *body, Use use) {
    for (const Stmt *statement : body->body())
        visitStatement(walk, statement, statement == body->body_back() ? use : Use());
}

/* Returns the expression in a wrapper that has the same value; null: not a wrapper. */
static const Expr *unwrapExpression(const Stmt *statement) {
    if (auto *paren = dyn_cast<ParenExpr>(statement))
        return paren->getSubExpr();
    if (auto *full = dyn_cast<FullExpr>(statement))
        return full->getSubExpr();
    if (auto *temporary = dyn_cast<MaterializeTemporaryExpr>(statement))
        return temporary->getSubExpr();
    if (auto *temporary = dyn_cast<CXXBindTemporaryExpr>(statement))
        return temporary->getSubExpr();
    if (auto *member = dyn_cast<CXXDefaultInitExpr>(statement))
        return member->getExpr();
    if (auto *choice = dyn_cast<GenericSelectionExpr>(statement))
        return choice->getResultExpr();
    if (auto *choice = dyn_cast<ChooseExpr>(statement))
        return choice->getChosenSubExpr();
    return nullptr;
}

/* Returns whether code is not executed here: an operand of sizeof or noexcept, a value that is visited
 * elsewhere, or the body of a block. */
static bool isElsewhere(const Stmt *statement) {
    return isa<UnaryExprOrTypeTraitExpr>(statement) || isa<OpaqueValueExpr>(statement) ||
           isa<CXXNoexceptExpr>(statement) || isa<BlockExpr>(statement);
}

static void visitStatement(Walk &walk, const Stmt *statement, Use use) {
    if (!statement || isElsewhere(statement))
        return;
    if (const Expr *inner = unwrapExpression(statement))
        return visitStatement(walk, inner, use);
    if (auto *cast = dyn_cast<CastExpr>(statement))
        return visitStatement(walk, cast->getSubExpr(), throughCast(walk.context, cast, use));
    if (auto *call = dyn_cast<CallExpr>(statement))
        return visitCall(walk, call, use);
    if (auto *argument = dyn_cast<CXXDefaultArgExpr>(statement))
        return visitDefault(walk, argument, use);
    if (auto *binary = dyn_cast<BinaryOperator>(statement))
        return visitOperator(walk, binary, use);
    if (auto *choice = dyn_cast<AbstractConditionalOperator>(statement))
        return visitConditional(walk, choice, use);
    if (auto *result = dyn_cast<ReturnStmt>(statement))
        return visitStatement(walk, result->getRetValue(), {{}, pointee(walk.returned)});
    if (auto *block = dyn_cast<StmtExpr>(statement))
        return visitStatements(walk, block->getSubStmt(), use);
    if (auto *lambda = dyn_cast<LambdaExpr>(statement)) {
        for (const Expr *captured : lambda->capture_inits())
            visitStatement(walk, captured, {});
        return;
    }
    if (auto *declarations = dyn_cast<DeclStmt>(statement)) {
        for (const Decl *declaration : declarations->decls())
            if (auto *variable = dyn_cast<VarDecl>(declaration))
                visitVariable(walk, variable);
        return;
    }
    if (auto *object = dyn_cast<CXXConstructExpr>(statement)) {
        llvm::SaveAndRestore<SourceLocation> inCall(walk.call, SourceLocation());
        return visitChildren(walk, object);
    }
    if (auto *made = dyn_cast<CXXNewExpr>(statement))
        return visitNew(walk, made);
    visitChildren(walk, statement);
}

std::vector<Call> findCalls(ASTContext &context, MangleContext &mangler, const Decl *root) {
    Walk walk = {context, mangler, nullptr, {}, {}, {}, {}};
    if (auto *variable = dyn_cast<VarDecl>(root)) {
        visitVariable(walk, variable);
        return std::move(walk.calls);
    }
    auto *function = cast<FunctionDecl>(root);
    walk.returned = function->getReturnType();
    walk.body = function->getBody();
    if (auto *constructor = dyn_cast<CXXConstructorDecl>(function))
        for (const CXXCtorInitializer *initializer : constructor->inits())
            visitStatement(walk, initializer->getInit(),
                           {{},
                            initializer->isMemberInitializer() ? pointee(initializer->getMember()->getType())
                                                               : QualType()});
    visitStatement(walk, walk.body, {});
    return std::move(walk.calls);
}

} // namespace allocsite
