/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The effects of clang command lines that allocsite-clang depends on. */
#include "driver/invocation.h"

#include <cmocka.h>
#include <string.h>

enum { COMPILES = 1, LINKS = 2, STATIC = 4, BARE = 8, SANITIZER_FIRST = 16, CXX_STATIC = 32, SHARED = 64 };

/* line: words separated by single spaces. */
static unsigned read_words(const char *line) {
    char copy[256];
    char *words[64] = {0};
    size_t count = 0;
    assert_true(strlen(line) < sizeof copy);
    strcpy(copy, line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        words[count++] = word;
    struct invocation invocation = invocation_read(words);
    return (invocation.compiles ? COMPILES : 0) | (invocation.links ? LINKS : 0) |
           (invocation.links_static ? STATIC : 0) | (invocation.bare ? BARE : 0) |
           (invocation.sanitizer_first ? SANITIZER_FIRST : 0) |
           (invocation.links_cxx_static ? CXX_STATIC : 0) | (invocation.links_shared ? SHARED : 0);
}

#define EXPECT(line, effects) assert_int_equal(read_words(line), effects)

static void inputs_are_known_by_extension(void **state) {
    (void)state;
    EXPECT("a.c", COMPILES | LINKS);
    EXPECT("dir.d/a.cpp -o a", COMPILES | LINKS);
    EXPECT("a.cu", COMPILES | LINKS);
    EXPECT("-c a.hip", COMPILES);
    EXPECT("a.ll", COMPILES | LINKS);
    EXPECT("a.o", LINKS);
    EXPECT("a.s", LINKS);
    EXPECT("dir.c/a", LINKS);
    EXPECT("a.h", 0);
    EXPECT("a.o b.c", COMPILES | LINKS);
    EXPECT("", 0);
    EXPECT("a.o -static-libstdc++", LINKS | CXX_STATIC);
    EXPECT("-shared a.c", COMPILES | LINKS | SHARED);
}

static void inputs_are_known_by_language(void **state) {
    (void)state;
    EXPECT("-x c -", COMPILES | LINKS);
    EXPECT("-xc++ a.txt", COMPILES | LINKS);
    EXPECT("-x assembler a.c", LINKS);
    EXPECT("-x assembler-with-cpp a.c", LINKS);
    EXPECT("-x c++-header a.c", 0);
    EXPECT("-x c a.c -x none b.o", COMPILES | LINKS);
    EXPECT("-x assembler a -x none b.c", COMPILES | LINKS);
    EXPECT("-x", 0);
}

static void phases_end_early(void **state) {
    (void)state;
    EXPECT("-c a.c", COMPILES);
    EXPECT("-S a.c", COMPILES);
    EXPECT("-c a.s", 0);
    EXPECT("-E a.c", 0);
    EXPECT("-M a.c", 0);
    EXPECT("-MD -c a.c", COMPILES);
    EXPECT("-fsyntax-only a.c", 0);
    EXPECT("-r a.o", 0);
    EXPECT("-r a.c", COMPILES);
    EXPECT("-print-prog-name=ld", 0);
    EXPECT("-cc1 -emit-obj a.c", 0);
    EXPECT("-c --cuda-device-only a.cu", 0);
    EXPECT("--offload-device-only -x hip a.cpp", 0);
    EXPECT("-v", 0);
}

static void values_are_not_inputs(void **state) {
    (void)state;
    EXPECT("-o a.c", 0);
    EXPECT("-v -target x86_64-linux-gnu", 0);
    EXPECT("-c a.c -include b.h -o -c", COMPILES);
    EXPECT("a.o -o -c", LINKS);
    EXPECT("a.o -Xlinker -r", LINKS);
    EXPECT("-o", 0);
}

static void libraries_alone_are_linked(void **state) {
    (void)state;
    EXPECT("-lmain", LINKS);
    EXPECT("-Wl,--version", LINKS);
    EXPECT("-Wall -Lhere", 0);
}

static void link_modes(void **state) {
    (void)state;
    EXPECT("-static a.o", LINKS | STATIC);
    EXPECT("-static-pie a.c", COMPILES | LINKS | STATIC);
    EXPECT("-static-libgcc a.o", LINKS);
    EXPECT("-shared a.o", LINKS | SHARED);
    EXPECT("-nostdlib a.o", LINKS | BARE);
    EXPECT("-fsanitize=address -shared-libasan a.o", LINKS | SANITIZER_FIRST);
}

/* ---- --wrap among the linker's options. */

#define TELL(name, ...) linker_wraps((char *const[]){__VA_ARGS__, NULL}, name)

static void every_form_wraps(void **state) {
    (void)state;
    assert_true(TELL("malloc", "-c", "-Wl,--wrap=malloc"));
    assert_true(TELL("malloc", "-Wl,--gc-sections,-wrap=malloc,-O1"));
    assert_true(TELL("malloc", "-Wl,--wrap,malloc"));
    assert_true(TELL("free", "-Wl,--wrap=malloc,--wrap=free"));
    assert_true(TELL("malloc", "-Wl,--wrap", "-Wl,malloc"));
    assert_true(TELL("malloc", "-Xlinker", "--wrap=malloc"));
    assert_true(TELL("malloc", "-Xlinker", "--wrap", "-o", "x", "-Xlinker", "malloc"));
}

static void other_options_do_not_wrap(void **state) {
    (void)state;
    assert_false(TELL("malloc", "-Wl,--wrap=xmalloc"));
    assert_false(TELL("malloc", "-Wl,--wrap=malloc_usable_size"));
    assert_false(TELL("malloc", "-Wl,--wrap,free,malloc"));
    assert_false(TELL("malloc", "-Wl,--wrapped=malloc", "-Wl,wrap=malloc", "-Wl,---wrap=malloc"));
    assert_false(TELL("malloc", "--wrap=malloc", "-o", "-Wl,", "-Wl,--wrap", "-Xlinker"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_are_known_by_extension),
        cmocka_unit_test(inputs_are_known_by_language),
        cmocka_unit_test(phases_end_early),
        cmocka_unit_test(values_are_not_inputs),
        cmocka_unit_test(libraries_alone_are_linked),
        cmocka_unit_test(link_modes),
        cmocka_unit_test(every_form_wraps),
        cmocka_unit_test(other_options_do_not_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
