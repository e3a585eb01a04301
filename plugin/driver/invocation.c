/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parses a clang command line: kinds of inputs, last phase, and how the result is linked. */
#include "driver/invocation.h"

#include <stddef.h>
#include <string.h>

enum effect {
    NO_LINK = 1 << 0,
    NO_COMPILE = 1 << 1,
    STATIC = 1 << 2,
    BARE = 1 << 3,
    SANITIZER_FIRST = 1 << 4,
    TAKES_VALUE = 1 << 5, /* the next argument belongs to this option */
    LINK_INPUT = 1 << 6,
    CXX_STATIC = 1 << 7,
    SHARED = 1 << 8,
};

struct words {
    unsigned means;
    const char *words; /* separated and enclosed by spaces */
};

static const struct words options[] = {
    {NO_LINK, " -c --compile -S --assemble -r -Wl,-r --relocatable "},
    {NO_LINK | NO_COMPILE,
     " -E --preprocess -M -MM --dependencies --user-dependencies -fsyntax-only --analyze"
     " --precompile -emit-ast -verify-pch -fdriver-only -dumpversion -dumpmachine"
     " --cuda-device-only --offload-device-only -fsycl-device-only"
     " --version -help "},
    {STATIC, " -static --static -static-pie "},
    {BARE, " -nostdlib --no-standard-libraries -nodefaultlibs -nolibc "},
    {CXX_STATIC, " -static-libstdc++ "},
    {SHARED, " -shared --shared "},
    {SANITIZER_FIRST, " -shared-libsan -shared-libasan "},
    {TAKES_VALUE, " -o --output -D -U -I -L -B -F -G -T -b -e -u -z -MF -MJ -MQ -MT -arch -target"
                  " --param --sysroot --config -rpath -include -include-pch -imacros -idirafter -iquote"
                  " -iprefix -isysroot -isystem -isystem-after -iwithprefix -iwithprefixbefore"
                  " -iwithsysroot -cxx-isystem -stdlib++-isystem -ivfsoverlay -working-directory"
                  " -resource-dir -dependency-file -dumpdir -serialize-diagnostics -mllvm"
                  " -mthread-model -Xclang -Xanalyzer -Xassembler -Xpreprocessor "},
    {TAKES_VALUE | LINK_INPUT, " -Xlinker "},
};

/* Prefixes, one per row. */
static const struct words beginnings[] = {
    {NO_LINK | NO_COMPILE, "-cc1"},
    {NO_LINK | NO_COMPILE, "-ccc-print-"},
    {NO_LINK | NO_COMPILE, "-print-"},
    {NO_LINK | NO_COMPILE, "--print-"},
    {NO_LINK | NO_COMPILE, "--help"},
    {LINK_INPUT, "-Wl,"},
    {LINK_INPUT, "-l"},
};

enum input { OF_EXTENSION, SOURCE, HEADER, ASSEMBLY, OBJECT };

static const struct words extensions[] = {
    {SOURCE, " c i cc cp cpp cxx c++ C CC CPP CXX C++ ii m mi mm M mii ll bc cppm ccm cxxm c++m"
             " ixx pcm cu cui hip hipi "},
    {HEADER, " h hh hp hpp hxx H "},
    {ASSEMBLY, " s S asm "},
};

/* Returns 0 if no row contains the word. */
static unsigned find_meaning(const struct words *list, size_t count, const char *word) {
    size_t length = strlen(word);
    for (size_t i = 0; i < count && length && !strchr(word, ' '); i++)
        for (const char *at = list[i].words; (at = strstr(at, word)); at++)
            if (at[-1] == ' ' && at[length] == ' ')
                return list[i].means;
    return 0;
}

#define MEANING(list, word) find_meaning(list, sizeof(list) / sizeof *(list), word)

static enum input input_of_extension(const char *path) {
    const char *dot = strrchr(path, '.');
    enum input input = dot && !strchr(dot, '/') ? (enum input)MEANING(extensions, dot + 1) : OF_EXTENSION;
    return input == OF_EXTENSION ? OBJECT : input;
}

static enum input input_of_language(const char *language) {
    if (strcmp(language, "none") == 0)
        return OF_EXTENSION;
    if (strncmp(language, "assembler", strlen("assembler")) == 0)
        return ASSEMBLY;
    return strstr(language, "-header") ? HEADER : SOURCE;
}

static unsigned effects_of(const char *argument) {
    unsigned effects = MEANING(options, argument);
    for (size_t i = 0; !effects && i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(argument, beginnings[i].words, strlen(beginnings[i].words)) == 0)
            effects = beginnings[i].means;
    return effects;
}

/* All inputs except headers are linked. A header only becomes a precompiled header. */
static void apply_input(struct invocation *invocation, enum input input) {
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
            apply_input(&invocation, language == OF_EXTENSION ? input_of_extension(argument) : language);
            continue;
        }
        if (argument[1] == 'x') {
            if (argument[2] == '\0' && !*++arguments)
                break;
            language = input_of_language(argument[2] ? argument + 2 : *arguments);
            continue;
        }
        unsigned effect = effects_of(argument);
        effects |= effect;
        if ((effect & TAKES_VALUE) && !*++arguments)
            break;
    }
    invocation.compiles = invocation.compiles && !(effects & NO_COMPILE);
    invocation.links = (invocation.links || (effects & LINK_INPUT)) && !(effects & NO_LINK);
    invocation.links_static = effects & STATIC;
    invocation.bare = effects & BARE;
    invocation.links_cxx_static = effects & CXX_STATIC;
    invocation.links_shared = effects & SHARED;
    invocation.sanitizer_first = effects & SANITIZER_FIRST;
    return invocation;
}

/* ---- --wrap=NAME among the linker's options. */

struct wrap_search {
    const char *name;
    bool value_follows, is_wrapped;
};

static void search_word(struct wrap_search *wrap_search, const char *word, size_t length) {
    size_t dashes = strspn(word, "-"), option = strlen("wrap=");
    bool is_value = wrap_search->value_follows;
    wrap_search->value_follows = false;
    if (!is_value && (dashes == 0 || dashes > 2 || length < dashes + option - 1 ||
                      strncmp(word + dashes, "wrap=", option - 1) != 0))
        return;
    wrap_search->value_follows = !is_value && length == dashes + option - 1;
    if (is_value)
        dashes = option = 0;
    else if (wrap_search->value_follows || word[dashes + option - 1] != '=')
        return;
    word += dashes + option;
    length -= dashes + option;
    wrap_search->is_wrapped |=
        strlen(wrap_search->name) == length && strncmp(word, wrap_search->name, length) == 0;
}

static void search_words(struct wrap_search *wrap_search, const char *words) {
    for (size_t length; length = strcspn(words, ","), true; words += length + 1) {
        search_word(wrap_search, words, length);
        if (!words[length])
            return;
    }
}

bool linker_wraps(char *const *arguments, const char *name) {
    struct wrap_search wrap_search = {.name = name};
    for (; *arguments; arguments++)
        if (strncmp(*arguments, "-Wl,", strlen("-Wl,")) == 0)
            search_words(&wrap_search, *arguments + strlen("-Wl,"));
        else if (strcmp(*arguments, "-Xlinker") == 0 && arguments[1])
            arguments++, search_word(&wrap_search, *arguments, strlen(*arguments));
    return wrap_search.is_wrapped;
}

#define NAME(symbol, ...) #symbol,
#define HEAP_ALLOC        NAME
#define HEAP_REALLOC      NAME
#define HEAP_FREE         NAME
#define OPERATOR_NEW      NAME
#define OPERATOR_DELETE   NAME
#define COPY              NAME
const char *const wrappable_functions[] = {
#include "allocators.def"
    NULL};
