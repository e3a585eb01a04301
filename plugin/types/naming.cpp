/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the names of functions and parameters tell, by their words. */
#include "types/ast.h"

#include <clang/AST/Decl.h>
#include <clang/Basic/CharInfo.h>

using namespace clang;

namespace allocsite {

static bool endsIn(llvm::StringRef word, llvm::StringRef end) {
    return word.take_back(end.size()) == end;
}

/* As a word: nbytes and the like are numbers of something. */
static bool isCountWord(const std::string &word) {
    static const char *const words[] = {"n",    "len",   "length", "size",  "sz",       "count", "cnt",
                                        "num",  "bytes", "cap",    "nelem", "capacity", "items", "amount",
                                        "room", "nmemb", "number", "elems", "slots",    "nb",    "total"};
    return llvm::is_contained(words, word) || endsIn(word, "size") || endsIn(word, "len") ||
           endsIn(word, "count") || (word.size() > 2 && word.front() == 'n' && word.back() == 's');
}

/* Which of several, not how many. */
static bool isPositionWord(const std::string &word) {
    static const char *const words[] = {"i", "idx", "index", "pos", "position", "key", "id", "offset"};
    return llvm::is_contained(words, word);
}

/* The whole words of a name: bit_capacity, bitCapacity. */
static llvm::SmallVector<std::string, 4> wordsOf(llvm::StringRef name) {
    llvm::SmallVector<std::string, 4> words = {""};
    bool wasLower = false;
    for (char letter : name) {
        if (letter == '_' || (isUppercase(letter) && wasLower))
            words.emplace_back();
        if (letter != '_')
            words.back() += toLowercase(letter);
        wasLower = isLowercase(letter);
    }
    return words;
}

static bool hasWord(const FunctionDecl &function, bool (*isOne)(const std::string &word)) {
    return function.getIdentifier() && llvm::any_of(wordsOf(function.getName()), isOne);
}

bool isNamedCount(const ParmVarDecl &parameter) {
    return llvm::any_of(wordsOf(parameter.getName()), isCountWord);
}

bool isNamedPosition(const ParmVarDecl &parameter) {
    return llvm::any_of(wordsOf(parameter.getName()), isPositionWord);
}

bool isNamedCopy(const FunctionDecl &function) {
    return hasWord(function,
                   [](const std::string &word) { return endsIn(word, "dup") || endsIn(word, "save"); });
}

bool isNamedAddition(const FunctionDecl &function) {
    return hasWord(function, [](const std::string &word) {
        static const char *const words[] = {"add",    "append",  "push",   "put",     "insert", "enqueue",
                                            "concat", "reserve", "extend", "prepend", "cat",    "grow"};
        return llvm::is_contained(words, word);
    });
}

} // namespace allocsite
