/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-clang, allocsite-clang++: clang with everything passed, plus the plugin where it compiles and
 * the runtime where it links. A call that does neither reaches clang as it came.
 *
 *   allocsite-clang[-N], allocsite-clang++[-N]   N: LLVM major, by default the one this build chose
 *   any other name, as cc and c++                the same: for C++ if it has ++
 *   ALLOCSITE_CLANG=program                      another clang; its major decides which plugin it gets
 *
 * The plugin and the runtime are found from where this program stands, so a build tree and an
 * installed one work alike and can be moved. */
#include "driver/invocation.h"
#include "driver_majors.h"
#include "format.h"

#include <errno.h>
#include <libiberty/libiberty.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_ADDED 24 /* arguments that add_* put into a command at most, and the terminating NULL */

struct command {
    char **arguments;
    size_t count;
};

struct compiler {
    char program[PATH_MAX];
    int major;
};

static const struct {
    int major;
    const char *clang;
} majors[] = {ALLOCSITE_MAJORS};

__attribute__((noreturn, format(printf, 1, 2))) static void fail(const char *format, ...) {
    va_list arguments;
    fputs("allocsite-clang: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

__attribute__((format(printf, 1, 2))) static char *text(const char *format, ...) {
    va_list arguments;
    char *result;
    va_start(arguments, format);
    if (vasprintf(&result, format, arguments) < 0)
        fail("out of memory");
    va_end(arguments);
    return result;
}

/* clang itself says which major it is; only asked of a clang that is not one of ours. */
static int major_of(const char *program) {
    char *command = text("'%s' -dumpversion", program);
    FILE *output = strchr(program, '\'') ? NULL : popen(command, "r");
    int major = 0;
    if (output && fscanf(output, "%d", &major) != 1)
        major = 0;
    if (!output || pclose(output) != 0 || major == 0)
        fail("ALLOCSITE_CLANG=%s is not a clang that can be run", program);
    free(command);
    return major;
}

static struct compiler choose_compiler(const char *own_name) {
    struct compiler compiler = {.major = ALLOCSITE_DEFAULT_MAJOR};
    const char *chosen = getenv("ALLOCSITE_CLANG");
    if (chosen && *chosen) {
        snprintf(compiler.program, sizeof compiler.program, "%s", chosen);
        compiler.major = major_of(chosen);
        return compiler;
    }
    const char *suffix = strrchr(own_name, '-');
    if (suffix && suffix[1] >= '1' && suffix[1] <= '9')
        compiler.major = atoi(suffix + 1);
    snprintf(compiler.program, sizeof compiler.program, "clang-%d", compiler.major);
    for (size_t i = 0; i < sizeof majors / sizeof majors[0]; i++)
        if (majors[i].major == compiler.major && access(majors[i].clang, X_OK) == 0)
            snprintf(compiler.program, sizeof compiler.program, "%s", majors[i].clang);
    return compiler;
}

static char *find_library_directory(void) {
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        fail("/proc/self/exe: %s", strerror(errno));
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    char *places[] = {text("%s/%s", self, ALLOCSITE_LIB_FROM_BIN), text("%s/../lib", self)};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        char *plugins = text("%s/allocsite", places[i]);
        char *directory = access(plugins, X_OK) == 0 ? realpath(places[i], NULL) : NULL;
        free(plugins);
        if (directory)
            return directory;
    }
    fail("%s: no such directory; is allocsite installed whole?", places[0]);
}

static void require(const char *path, const char *what) {
    if (access(path, R_OK) != 0)
        fail("%s: %s", what, strerror(errno));
}

static void add(struct command *command, const char *argument) {
    command->arguments[command->count++] = (char *)argument;
}

/* To the linker as it stands: paths may hold commas, and a preceding -x does not apply. */
static void add_linker(struct command *command, const char *argument) {
    add(command, "-Xlinker");
    add(command, argument);
}

/* Of allocsite.h, if clang does not look there, and behind all others. Whatever preprocesses finds it. */
static void add_header(struct command *command, const char *library) {
    char *directory = realpath(text("%s/%s", library, ALLOCSITE_INCLUDE_FROM_LIB), NULL);
    if (!directory)
        directory = realpath(text("%s/../include", library), NULL);
    if (!directory || strcmp(directory, "/usr/include") == 0 || strcmp(directory, "/usr/local/include") == 0)
        return;
    add(command, "--start-no-unused-arguments");
    add(command, "-idirafter");
    add(command, directory);
    add(command, "--end-no-unused-arguments");
}

static void add_plugin(struct command *command, const char *library, int major) {
    char *plugin = text("%s/allocsite/llvm-%d/allocsite.so", library, major);
    require(plugin, text("no plugin for clang %d (%s)", major, plugin));
    /* Twice: clang reads -mllvm before it loads pass plugins, and has loaded the others by then. */
    add(command, text("-fplugin=%s", plugin));
    add(command, text("-fpass-plugin=%s", plugin));
    /* Built where clang's headers were; debug info gives less. */
    char *types = text("%s/allocsite/llvm-%d/allocsite-types.so", library, major);
    if (access(types, R_OK) == 0)
        add(command, text("-fplugin=%s", types));
    /* Matches no pass, but makes clang keep the lines in the IR when there is no -g. */
    add(command, "-Rpass=^$");
}

#define PREFIX "-fallocsite-"

static const struct {
    const char *name, *help;
} plugin_options[] = {
    {"contexts", "contexts=0     sites only: no call paths, the lowest cost"},
    {"library", "library=GLOB   code of these paths or functions is a library's,\n"
                "                             as headers of the system; none: not even those"},
    {"list", "list=FILE      custom allocators, and functions that pass through:\n"
             "                             allocsite-list(5)"},
    {"types", "types=0        do not look for the types that are allocated"},
};

/* Clang goes on with its own. */
static void add_help(char *const *arguments) {
    if (!*arguments || strcmp(*arguments, "--help") != 0)
        return;
    puts("allocsite-clang is clang that counts allocations. Beside clang's options:\n");
    for (size_t i = 0; i < sizeof plugin_options / sizeof plugin_options[0]; i++)
        printf("  " PREFIX "%s\n", plugin_options[i].help);
    puts("\nOptions of the programs: ALLOCSITE_OPTIONS=help=1 ./program\n");
    fflush(stdout);
}

/* -fallocsite-types=0 and its kin are options of the plugin, which only a compiling clang has loaded. */
static bool add_plugin_option(struct command *command, const char *argument, bool compiles) {
    if (strncmp(argument, PREFIX, strlen(PREFIX)) != 0)
        return false;
    const char *option = argument + strlen(PREFIX);
    size_t length = strcspn(option, "=");
    for (size_t i = 0; i < sizeof plugin_options / sizeof plugin_options[0]; i++) {
        const char *name = plugin_options[i].name;
        if (strlen(name) != length || strncmp(option, name, length) != 0)
            continue;
        if (compiles) {
            add(command, "-mllvm");
            add(command, text("-allocsite-%s", option));
        }
        return true;
    }
    fail("unknown option %s (see allocsite-clang(1))", argument);
}

/* Ahead of every other library, so that the allocator functions that the program finds are the counting ones.
 */
static void add_shared_runtime(struct command *command, const char *library, const char *needed) {
    char *runtime = text("%s/liballocsite.so", library);
    require(runtime, runtime);
    add_linker(command, "--push-state");
    add_linker(command, needed);
    add_linker(command, runtime);
    add_linker(command, "--pop-state");
    add_linker(command, "-rpath");
    add_linker(command, library);
}

/* The functions to redirect, and behind the objects that refer to it the archive. libstdc++ comes later still
 * and refers to operators that only it may use. */
static void add_fixed_runtime(struct command *command, const char *library, bool bare, bool cxx) {
    char *runtime = text("%s/liballocsite.a", library);
    char *options = text("%s/allocsite/static.opts", library);
    require(runtime, runtime);
    require(options, options);
    if (!bare)
        add(command, text("@%s", options));
    if (!bare && cxx)
        add(command, "-Wl,--undefined=__wrap__Znwm");
    add_linker(command, runtime);
}

/* The operators of a C++ library inside the program are the runtime's, and they throw through this. */
static void add_throw(struct command *command) {
    add_linker(command, "--undefined=_ZSt17__throw_bad_allocv");
}

#define ENTRIES_MOST 2 /* of a function: one takes a calling context too */
#define WRAP_ADDED   4

/* The program's __wrap_malloc takes the place of the runtime's entry in what is linked here, as ld has it
 * take that of malloc: it is called with the site as an argument too many. */
static void add_wraps(struct command *command, char *const *arguments) {
    static const char *const suffixes[ENTRIES_MOST] = {"", ALLOCSITE_BY_CONTEXT_SUFFIX};
    for (const char *const *name = wraps_known; *name; name++)
        for (size_t i = 0; i < ENTRIES_MOST && wraps_tell(arguments, *name); i++) {
            char *entry = text(ALLOCSITE_ENTRY_PREFIX "%s%s", *name, suffixes[i]);
            add_linker(command, text("--wrap=%s", entry));
            add_linker(command, text("--defsym=__wrap_%s=__wrap_%s", entry, *name));
        }
}

static size_t wraps_most(void) {
    size_t names = 0;
    while (wraps_known[names])
        names++;
    return names * ENTRIES_MOST * WRAP_ADDED;
}

/* With what response files hold. */
static char **expand(int count, char **arguments) {
    char **expanded = dupargv(arguments);
    if (!expanded)
        fail("out of memory");
    expandargv(&count, &expanded);
    return expanded;
}

static struct command build_command(const struct compiler *compiler, bool cxx, int count, char **arguments) {
    struct command command = {calloc(2 * (size_t)count + MAX_ADDED + wraps_most(), sizeof(char *)), 0};
    char **expanded = expand(count, arguments);
    struct invocation invocation = invocation_read(expanded + 1);
    bool late = invocation.bare || invocation.first_taken;
    char *library = find_library_directory();
    if (!command.arguments)
        fail("out of memory");

    add(&command, compiler->program);
    if (count < 2 || strncmp(arguments[1], "-cc1", strlen("-cc1")) != 0) {
        add(&command, cxx ? "--driver-mode=g++" : "--driver-mode=gcc");
        add_header(&command, library);
    }
    if (invocation.compiles)
        add_plugin(&command, library, compiler->major);
    if (invocation.links && !invocation.links_fixed && !late)
        add_shared_runtime(&command, library, "--no-as-needed");
    if (invocation.links && invocation.own_cxx && cxx)
        add_throw(&command);
    if (invocation.links && !invocation.links_fixed)
        add_wraps(&command, expanded + 1);
    for (int i = 1; i < count; i++)
        if (!add_plugin_option(&command, arguments[i], invocation.compiles))
            add(&command, arguments[i]);
    if (invocation.links && invocation.links_fixed)
        add_fixed_runtime(&command, library, invocation.bare, cxx);
    else if (invocation.links && late)
        add_shared_runtime(&command, library, invocation.bare ? "--as-needed" : "--no-as-needed");
    return command;
}

int main(int count, char **arguments) {
    const char *own_name = program_invocation_short_name;
    bool cxx = strstr(own_name, "++") != NULL;
    struct compiler compiler = choose_compiler(own_name);
    struct command command = build_command(&compiler, cxx, count, arguments);
    add_help(arguments + 1);
    execvp(compiler.program, command.arguments);
    fail("%s: %s", compiler.program, strerror(errno));
}
