/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading a clang command line: which inputs, up to which phase, linked how. */
#include "driver/invocation.h"

#include <stddef.h>
#include <string.h>

enum effect {
    NO_LINK = 1 << 0,
    NO_COMPILE = 1 << 1,
    FIXED = 1 << 2,
    BARE = 1 << 3,
    TAKES_FIRST = 1 << 4,
    TAKES_VALUE = 1 << 5, /* the next argument belongs to this option */
    LINK_INPUT = 1 << 6,
    OWN_CXX = 1 << 7,
};

struct option {
    const char *text;
    unsigned effects;
};

static const struct option exact_options[] = {
    {"-c", NO_LINK},
    {"--compile", NO_LINK},
    {"-S", NO_LINK},
    {"--assemble", NO_LINK},
    {"-r", NO_LINK},
    {"-Wl,-r", NO_LINK},
    {"--relocatable", NO_LINK},
    {"-E", NO_LINK | NO_COMPILE},
    {"--preprocess", NO_LINK | NO_COMPILE},
    {"-M", NO_LINK | NO_COMPILE},
    {"-MM", NO_LINK | NO_COMPILE},
    {"--dependencies", NO_LINK | NO_COMPILE},
    {"--user-dependencies", NO_LINK | NO_COMPILE},
    {"-fsyntax-only", NO_LINK | NO_COMPILE},
    {"--analyze", NO_LINK | NO_COMPILE},
    {"--precompile", NO_LINK | NO_COMPILE},
    {"-emit-ast", NO_LINK | NO_COMPILE},
    {"-verify-pch", NO_LINK | NO_COMPILE},
    {"-fdriver-only", NO_LINK | NO_COMPILE},
    {"-dumpversion", NO_LINK | NO_COMPILE},
    {"-dumpmachine", NO_LINK | NO_COMPILE},
    {"--version", NO_LINK | NO_COMPILE},
    {"-help", NO_LINK | NO_COMPILE},
    {"-static", FIXED},
    {"--static", FIXED},
    {"-static-pie", FIXED},
    {"-nostdlib", BARE},
    {"--no-standard-libraries", BARE},
    {"-nodefaultlibs", BARE},
    {"-nolibc", BARE},
    {"-static-libstdc++", OWN_CXX},
    {"-shared-libsan", TAKES_FIRST},
    {"-shared-libasan", TAKES_FIRST},
    {"-o", TAKES_VALUE},
    {"--output", TAKES_VALUE},
    {"-D", TAKES_VALUE},
    {"-U", TAKES_VALUE},
    {"-I", TAKES_VALUE},
    {"-L", TAKES_VALUE},
    {"-B", TAKES_VALUE},
    {"-F", TAKES_VALUE},
    {"-G", TAKES_VALUE},
    {"-T", TAKES_VALUE},
    {"-b", TAKES_VALUE},
    {"-e", TAKES_VALUE},
    {"-u", TAKES_VALUE},
    {"-z", TAKES_VALUE},
    {"-MF", TAKES_VALUE},
    {"-MJ", TAKES_VALUE},
    {"-MQ", TAKES_VALUE},
    {"-MT", TAKES_VALUE},
    {"-arch", TAKES_VALUE},
    {"-target", TAKES_VALUE},
    {"--param", TAKES_VALUE},
    {"--sysroot", TAKES_VALUE},
    {"--config", TAKES_VALUE},
    {"-rpath", TAKES_VALUE},
    {"-include", TAKES_VALUE},
    {"-include-pch", TAKES_VALUE},
    {"-imacros", TAKES_VALUE},
    {"-idirafter", TAKES_VALUE},
    {"-iquote", TAKES_VALUE},
    {"-iprefix", TAKES_VALUE},
    {"-isysroot", TAKES_VALUE},
    {"-isystem", TAKES_VALUE},
    {"-isystem-after", TAKES_VALUE},
    {"-iwithprefix", TAKES_VALUE},
    {"-iwithprefixbefore", TAKES_VALUE},
    {"-iwithsysroot", TAKES_VALUE},
    {"-cxx-isystem", TAKES_VALUE},
    {"-stdlib++-isystem", TAKES_VALUE},
    {"-ivfsoverlay", TAKES_VALUE},
    {"-working-directory", TAKES_VALUE},
    {"-resource-dir", TAKES_VALUE},
    {"-dependency-file", TAKES_VALUE},
    {"-dumpdir", TAKES_VALUE},
    {"-serialize-diagnostics", TAKES_VALUE},
    {"-mllvm", TAKES_VALUE},
    {"-mthread-model", TAKES_VALUE},
    {"-Xclang", TAKES_VALUE},
    {"-Xanalyzer", TAKES_VALUE},
    {"-Xassembler", TAKES_VALUE},
    {"-Xpreprocessor", TAKES_VALUE},
    {"-Xlinker", TAKES_VALUE | LINK_INPUT},
};

static const struct option prefixed_options[] = {
    {"-cc1", NO_LINK | NO_COMPILE},
    {"-ccc-print-", NO_LINK | NO_COMPILE},
    {"-print-", NO_LINK | NO_COMPILE},
    {"--print-", NO_LINK | NO_COMPILE},
    {"--help", NO_LINK | NO_COMPILE},
    {"-Wl,", LINK_INPUT},
    {"-l", LINK_INPUT},
};

enum input { OF_EXTENSION, SOURCE, HEADER, ASSEMBLY, OBJECT };

static const struct {
    const char *extension;
    enum input input;
} extensions[] = {
    {"c", SOURCE},   {"i", SOURCE},   {"cc", SOURCE},   {"cp", SOURCE},  {"cpp", SOURCE},   {"cxx", SOURCE},
    {"c++", SOURCE}, {"C", SOURCE},   {"CC", SOURCE},   {"CPP", SOURCE}, {"CXX", SOURCE},   {"C++", SOURCE},
    {"ii", SOURCE},  {"m", SOURCE},   {"mi", SOURCE},   {"mm", SOURCE},  {"M", SOURCE},     {"mii", SOURCE},
    {"ll", SOURCE},  {"bc", SOURCE},  {"cppm", SOURCE}, {"ccm", SOURCE}, {"cxxm", SOURCE},  {"c++m", SOURCE},
    {"ixx", SOURCE}, {"pcm", SOURCE}, {"h", HEADER},    {"hh", HEADER},  {"hp", HEADER},    {"hpp", HEADER},
    {"hxx", HEADER}, {"H", HEADER},   {"s", ASSEMBLY},  {"S", ASSEMBLY}, {"asm", ASSEMBLY},
};

static enum input input_of_extension(const char *path) {
    const char *dot = strrchr(path, '.');
    if (!dot || strchr(dot, '/'))
        return OBJECT;
    for (size_t i = 0; i < sizeof extensions / sizeof extensions[0]; i++)
        if (strcmp(dot + 1, extensions[i].extension) == 0)
            return extensions[i].input;
    return OBJECT;
}

static enum input input_of_language(const char *language) {
    if (strcmp(language, "none") == 0)
        return OF_EXTENSION;
    if (strncmp(language, "assembler", strlen("assembler")) == 0)
        return ASSEMBLY;
    return strstr(language, "-header") ? HEADER : SOURCE;
}

static unsigned effects_of(const char *argument) {
    for (size_t i = 0; i < sizeof exact_options / sizeof exact_options[0]; i++)
        if (strcmp(argument, exact_options[i].text) == 0)
            return exact_options[i].effects;
    for (size_t i = 0; i < sizeof prefixed_options / sizeof prefixed_options[0]; i++)
        if (strncmp(argument, prefixed_options[i].text, strlen(prefixed_options[i].text)) == 0)
            return prefixed_options[i].effects;
    return 0;
}

/* Inputs of every kind but headers are linked; a header is made into a precompiled one and that is all. */
static void take_input(struct invocation *invocation, enum input input) {
    if (input == SOURCE)
        invocation->compiles = true;
    if (input != HEADER)
        invocation->links = true;
}

struct invocation invocation_read(char *const *arguments) {
    struct invocation invocation = {0};
    enum input language = OF_EXTENSION;
    unsigned effects = 0;

    for (; *arguments; arguments++) {
        const char *argument = *arguments;
        if (argument[0] != '-' || argument[1] == '\0') {
            take_input(&invocation, language == OF_EXTENSION ? input_of_extension(argument) : language);
            continue;
        }
        if (argument[1] == 'x') {
            if (argument[2] == '\0' && !*++arguments)
                break;
            language = input_of_language(argument[2] ? argument + 2 : *arguments);
            continue;
        }
        unsigned own = effects_of(argument);
        effects |= own;
        if ((own & TAKES_VALUE) && !*++arguments)
            break;
    }
    invocation.compiles = invocation.compiles && !(effects & NO_COMPILE);
    invocation.links = (invocation.links || (effects & LINK_INPUT)) && !(effects & NO_LINK);
    invocation.links_fixed = effects & FIXED;
    invocation.bare = effects & BARE;
    invocation.own_cxx = effects & OWN_CXX;
    invocation.first_taken = effects & TAKES_FIRST;
    return invocation;
}

/* ---- Functions that the linker is told to wrap. */

struct reading {
    const char *name;
    bool value_follows, is_wrapped;
};

static void read_word(struct reading *reading, const char *word, size_t length) {
    size_t dashes = strspn(word, "-"), option = strlen("wrap=");
    bool is_value = reading->value_follows;
    reading->value_follows = false;
    if (!is_value && (dashes == 0 || dashes > 2 || length < dashes + option - 1 ||
                      strncmp(word + dashes, "wrap=", option - 1) != 0))
        return;
    reading->value_follows = !is_value && length == dashes + option - 1;
    if (is_value)
        dashes = option = 0;
    else if (reading->value_follows || word[dashes + option - 1] != '=')
        return;
    word += dashes + option;
    length -= dashes + option;
    reading->is_wrapped |= strlen(reading->name) == length && strncmp(word, reading->name, length) == 0;
}

static void read_words(struct reading *reading, const char *words) {
    for (size_t length; length = strcspn(words, ","), true; words += length + 1) {
        read_word(reading, words, length);
        if (!words[length])
            return;
    }
}

bool wraps_tell(char *const *arguments, const char *name) {
    struct reading reading = {.name = name};
    for (; *arguments; arguments++)
        if (strncmp(*arguments, "-Wl,", strlen("-Wl,")) == 0)
            read_words(&reading, *arguments + strlen("-Wl,"));
        else if (strcmp(*arguments, "-Xlinker") == 0 && arguments[1])
            arguments++, read_word(&reading, *arguments, strlen(*arguments));
    return reading.is_wrapped;
}

#define NAME(symbol, ...) #symbol,
#define HEAP_ALLOC        NAME
#define HEAP_REALLOC      NAME
#define HEAP_FREE         NAME
#define OPERATOR_NEW      NAME
#define OPERATOR_DELETE   NAME
#define LIBRARY           NAME
#define LIBRARY_BUFFER    NAME
const char *const wraps_known[] = {
#include "allocators.def"
    NULL};
