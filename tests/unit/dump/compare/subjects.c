/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The search in sorted names finds the same as a search through all sites. */
#include "dump/compare/check.h"

#include <cmocka.h>
#include <stdlib.h>

static struct place around[] = {{"Parser::read(char const*)", "/src/json/parse.cpp", 7, 1},
                                {"main", "main.c", 2, 2}};
static struct report_site rows[] = {
    {.view = {.id = 1,
              .sited = true,
              .module = "/usr/bin/app",
              .callee = "malloc",
              .type = "Node<int>",
              .at = {"Node<int>* make<int>(int)", "/src/json/node.hpp", 3, 4},
              .inlined = around,
              .inlined_count = 2}},
    {.view = {.id = 2,
              .sited = true,
              .module = "lib/libjson.so.1",
              .callee = "operator new(unsigned long)",
              .at = {"Parser::read(char const*)", "src/json/parse.cpp", 9, 4}}},
    {.view = {.id = 0x20, .module = "/lib/libc.so.6"}},
    {.view = {.id = 0x21, .module = NULL}},
    {.view = {.id = 3,
              .sited = true,
              .module = "/usr/bin/app",
              .callee = "malloc",
              .type = "char*",
              .at = {"main", "main.c", 5, 6},
              .inlined = around + 1,
              .inlined_count = 1},
     .way = "main;Parser::read;make"},
};
enum { ROWS = sizeof rows / sizeof *rows };
static struct report_site *sites[ROWS];
static struct report report = {.sites = sites, .site_count = ROWS, .counted = ROWS};

static const char *const patterns[] = {"main",
                                       "ma*",
                                       "*",
                                       "",
                                       "?ain",
                                       "Parser::read",
                                       "Parser::read(*",
                                       "make",
                                       "Node<int>* make<int>(int)",
                                       "n*",
                                       "parse.cpp",
                                       "json/parse.cpp",
                                       "src/json/*",
                                       "*/parse.cpp",
                                       "src/*/parse.cpp",
                                       "pars?.cpp",
                                       "/src/json/node.hpp",
                                       "json/",
                                       "app",
                                       "bin/app",
                                       "libc.so.6",
                                       "libc*",
                                       "lib/libjson.so.1",
                                       "malloc",
                                       "char*",
                                       "char\\*",
                                       "0000000000000001",
                                       "00*",
                                       "main;*",
                                       "*;make",
                                       "~"};

static void agree(const struct subjects *subjects, const struct limit *limit) {
    size_t count, seen = 0, *covered = subjects_covered(subjects, limit, &count);
    for (size_t i = 0; i < subjects->count; i++)
        if (budget_covers(limit, &subjects->list[i])) {
            assert_true(seen < count);
            assert_int_equal(covered[seen++], i);
        }
    assert_int_equal(seen, count);
    free(covered);
}

static void each_pattern_finds_its_subjects(void **state) {
    struct subjects subjects;
    (void)state;
    for (size_t i = 0; i < ROWS; i++)
        sites[i] = &rows[i];
    subjects_make(&subjects, &report);
    subjects.stacks = &subjects;
    agree(&subjects, &(struct limit){.kind = BUDGET_TOTAL});
    for (enum budget_kind kind = BUDGET_SITE; kind < BUDGET_KINDS; kind++)
        for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
            agree(&subjects, &(struct limit){.kind = kind, .pattern = patterns[i]});
    subjects_free(&subjects);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_pattern_finds_its_subjects)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
