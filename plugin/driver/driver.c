/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-clang, allocsite-clang++: run clang with the same arguments, and add the plugin to compilations
 * and the runtime to links. All other calls reach clang unchanged.
 *
 *   allocsite-clang[-N], allocsite-clang++[-N]   N: LLVM major; the default is chosen when this is built
 *   any other name, such as cc or c++            the same; compiles C++ if the name contains ++
 *   ALLOCSITE_CLANG=program                      another clang; its major selects the plugin
 *
 * The plugin and the runtime are found relative to this program, so an installed tree and a build tree work
 * alike and can be moved. */
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

#define MAX_ADDED 26 /* upper bound of the arguments that add_* append, with the terminating NULL */

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

__attribute__((noreturn, format(printf, 1, 2))) static void driver_fail(const char *format, ...) {
    va_list arguments;
    fputs("allocsite-clang: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

__attribute__((format(printf, 1, 2))) static char *format_string(const char *format, ...) {
    va_list arguments;
    char *result;
    va_start(arguments, format);
    if (vasprintf(&result, format, arguments) < 0)
        driver_fail("out of memory");
    va_end(arguments);
    return result;
}

/* Asks clang for its major. Only needed for ALLOCSITE_CLANG. */
static int major_of(const char *program) {
    char *command = format_string("echo __clang_major__ | '%s' -E -P -x c - 2>/dev/null", program);
    FILE *output = strchr(program, '\'') ? NULL : popen(command, "r");
    int major = 0;
    if (output && fscanf(output, "%d", &major) != 1)
        major = 0;
    if (!output || pclose(output) != 0 || major == 0)
        driver_fail("ALLOCSITE_CLANG=%s is no clang that can be run", program);
    free(command);
    return major;
}

static struct compiler choose_compiler(const char *program_name) {
    struct compiler compiler = {.major = ALLOCSITE_DEFAULT_MAJOR};
    const char *chosen = getenv("ALLOCSITE_CLANG");
    if (chosen && *chosen) {
        snprintf(compiler.program, sizeof compiler.program, "%s", chosen);
        compiler.major = major_of(chosen);
        return compiler;
    }
    const char *suffix = strrchr(program_name, '-');
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
        driver_fail("/proc/self/exe: %s", strerror(errno));
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    char *candidates[] = {format_string("%s/%s", self, ALLOCSITE_LIB_FROM_BIN),
                          format_string("%s/../lib", self)};
    for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++) {
        char *plugins = format_string("%s/allocsite", candidates[i]);
        char *directory = access(plugins, X_OK) == 0 ? realpath(candidates[i], NULL) : NULL;
        free(plugins);
        if (directory)
            return directory;
    }
    driver_fail("%s: no such directory; is allocsite installed completely?", candidates[0]);
}

static void require_file(const char *path, const char *what) {
    if (access(path, R_OK) != 0)
        driver_fail("%s: %s", what, strerror(errno));
}

static void add_argument(struct command *command, const char *argument) {
    command->arguments[command->count++] = (char *)argument;
}

/* Passes one argument to the linker. Unlike -Wl, -Xlinker allows commas in paths; unlike a bare path it is
 * not affected by a preceding -x. */
static void add_linker(struct command *command, const char *argument) {
    add_argument(command, "-Xlinker");
    add_argument(command, argument);
}

/* Adds the directory of allocsite.h after all others, unless clang searches it anyway. Added to every call
 * that may preprocess. */
static void add_header(struct command *command, const char *library) {
    char *directory = realpath(format_string("%s/%s", library, ALLOCSITE_INCLUDE_FROM_LIB), NULL);
    if (!directory)
        directory = realpath(format_string("%s/../include", library), NULL);
    if (!directory || strcmp(directory, "/usr/include") == 0 || strcmp(directory, "/usr/local/include") == 0)
        return;
    add_argument(command, "--start-no-unused-arguments");
    add_argument(command, "-idirafter");
    add_argument(command, directory);
    add_argument(command, "--end-no-unused-arguments");
}

static void add_plugin(struct command *command, const char *library, int major) {
    char *plugin = format_string("%s/allocsite/llvm-%d/allocsite.so", library, major);
    require_file(plugin, format_string("no plugin for clang %d (%s)", major, plugin));
    /* The plugin is given twice: clang parses -mllvm before it loads -fpass-plugin, but after it loads
     * -fplugin. */
    add_argument(command, format_string("-fplugin=%s", plugin));
    add_argument(command, format_string("-fpass-plugin=%s", plugin));
    /* Exists only if clang's headers were found at build time. Debug info, the fallback, has fewer types. */
    char *types = format_string("%s/allocsite/llvm-%d/allocsite-types.so", library, major);
    if (access(types, R_OK) == 0)
        add_argument(command, format_string("-fplugin=%s", types));
    /* The regex matches no pass, but the option makes clang keep lines in the IR without -g. */
    add_argument(command, "-Rpass=^$");
}

#define PREFIX "-fallocsite-"

static const struct {
    const char *name, *help;
} plugin_options[] = {
    {"contexts", "contexts=0     sites only: no call paths, the lowest cost"},
    {"library", "library=GLOB   treat these files or functions as library code;\n"
                "                             none: do not treat system headers so"},
    {"list", "list=FILE      custom allocators and pass-through functions:\n"
             "                             allocsite-list(5)"},
    {"shared", "shared         the code becomes part of a shared object although it is\n"
               "                             compiled without -fPIC"},
    {"types", "types=0        do not record the allocated types"},
};

/* Prints our options; clang then prints its own. */
static void add_help(char *const *arguments) {
    if (!*arguments || strcmp(*arguments, "--help") != 0)
        return;
    puts("allocsite-clang is clang that counts allocations. Its options, in addition to clang's:\n");
    for (size_t i = 0; i < sizeof plugin_options / sizeof plugin_options[0]; i++)
        printf("  " PREFIX "%s\n", plugin_options[i].help);
    puts("\nOptions of the programs: ALLOCSITE_OPTIONS=help=1 ./program\n");
    fflush(stdout);
}

/* Translates -fallocsite-NAME=VALUE into an option of the plugin. clang knows it only if it compiles, because
 * only then is the plugin loaded. */
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
            add_argument(command, "-mllvm");
            add_argument(command, format_string("-allocsite-%s", option));
        }
        return true;
    }
    driver_fail("unknown option %s (see allocsite-clang(1))", argument);
}

/* Adds liballocsite.so before every other library, so that its malloc interposes all others. */
static void add_shared_runtime(struct command *command, const char *library, const char *needed) {
    char *runtime = format_string("%s/liballocsite.so", library);
    require_file(runtime, runtime);
    add_linker(command, "--push-state");
    add_linker(command, needed);
    add_linker(command, runtime);
    add_linker(command, "--pop-state");
    add_linker(command, "-rpath");
    add_linker(command, library);
}

/* Adds the --wrap options and then, after the objects that refer to it, the archive. libstdc++ follows later
 * and refers to operators that nothing else may refer to, so one is requested explicitly. */
static void add_static_runtime(struct command *command, const char *library, bool bare, bool cxx) {
    char *runtime = format_string("%s/liballocsite.a", library);
    char *options = format_string("%s/allocsite/static.opts", library);
    require_file(runtime, runtime);
    require_file(options, options);
    if (!bare)
        add_argument(command, format_string("@%s", options));
    if (!bare && cxx)
        add_argument(command, "-Wl,--undefined=__liballocsite_v1__Znwm");
    add_linker(command, runtime);
}

/* In a program that contains its C++ library, the runtime defines the operators new. They throw through this
 * function of the library. */
static void add_throw(struct command *command) {
    add_linker(command, "--undefined=_ZSt17__throw_bad_allocv");
}

#define MAX_ENTRIES 2 /* entry points per function: with and without a calling context */
#define WRAP_ADDED  4

/* A program that links with --wrap=malloc expects its __wrap_malloc to receive every call. Calls that the
 * plugin redirected to the runtime's entry are therefore wrapped, too: __wrap_malloc receives the site as an
 * additional argument and ignores it. */
static void add_wraps(struct command *command, char *const *arguments) {
    static const char *const suffixes[MAX_ENTRIES] = {"", ALLOCSITE_BY_CONTEXT_SUFFIX};
    for (const char *const *name = wrappable_functions; *name; name++)
        for (size_t i = 0; i < MAX_ENTRIES && linker_wraps(arguments, *name); i++) {
            char *entry = format_string(ALLOCSITE_ENTRY_PREFIX "%s%s", *name, suffixes[i]);
            add_linker(command, format_string("--wrap=%s", entry));
            add_linker(command, format_string("--defsym=__wrap_%s=__wrap_%s", entry, *name));
        }
}

static size_t max_wrap_arguments(void) {
    size_t names = 0;
    while (wrappable_functions[names])
        names++;
    return names * MAX_ENTRIES * WRAP_ADDED;
}

/* Returns the arguments with response files expanded. */
static char **expand_response_files(int count, char **arguments) {
    char **expanded = dupargv(arguments);
    if (!expanded)
        driver_fail("out of memory");
    expandargv(&count, &expanded);
    return expanded;
}

static struct command build_command(const struct compiler *compiler, bool cxx, int count, char **arguments) {
    struct command command = {calloc(2 * (size_t)count + MAX_ADDED + max_wrap_arguments(), sizeof(char *)),
                              0};
    char **expanded = expand_response_files(count, arguments);
    struct invocation invocation = invocation_read(expanded + 1);
    bool late = invocation.bare || invocation.sanitizer_first;
    char *library = find_library_directory();
    if (!command.arguments)
        driver_fail("out of memory");

    add_argument(&command, compiler->program);
    if (count < 2 || strncmp(arguments[1], "-cc1", strlen("-cc1")) != 0) {
        add_argument(&command, cxx ? "--driver-mode=g++" : "--driver-mode=gcc");
        add_header(&command, library);
    }
    if (invocation.compiles) {
        add_plugin(&command, library, compiler->major);
        if (invocation.links_shared)
            add_plugin_option(&command, PREFIX "shared", true);
    }
    if (invocation.links && !invocation.links_static && !late)
        add_shared_runtime(&command, library, "--no-as-needed");
    if (invocation.links && invocation.links_cxx_static && cxx)
        add_throw(&command);
    if (invocation.links && !invocation.links_static)
        add_wraps(&command, expanded + 1);
    for (int i = 1; i < count; i++)
        if (!add_plugin_option(&command, arguments[i], invocation.compiles))
            add_argument(&command, arguments[i]);
    if (invocation.links && invocation.links_static)
        add_static_runtime(&command, library, invocation.bare, cxx);
    else if (invocation.links && late)
        add_shared_runtime(&command, library, invocation.bare ? "--as-needed" : "--no-as-needed");
    return command;
}

int main(int count, char **arguments) {
    const char *program_name = program_invocation_short_name;
    bool cxx = strstr(program_name, "++") != NULL;
    struct compiler compiler = choose_compiler(program_name);
    struct command command = build_command(&compiler, cxx, count, arguments);
    add_help(arguments + 1);
    execvp(compiler.program, command.arguments);
    driver_fail("%s: %s", compiler.program, strerror(errno));
}
