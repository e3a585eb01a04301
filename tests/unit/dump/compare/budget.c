/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Budgets: parsing, messages for invalid lines, and the sites that a limit applies to. */
#include "base/words.h"
#include "dump/compare/check.h"

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static struct budget budget;
static unsigned wrong_count, wrong_line;
static const char *wrong_what;

static void note(void *context, unsigned line, const char *what) {
    (void)context;
    wrong_count++;
    wrong_line = line;
    wrong_what = what;
}

static void read_bytes(const char *bytes, size_t size) {
    wrong_count = 0;
    budget_read(&budget, bytes, size, note, NULL);
}

static void read_text(const char *text) {
    read_bytes(text, strlen(text));
}

static void assert_limit(size_t at, unsigned line, enum budget_kind kind, const char *pattern,
                         enum measure measure, uint64_t most) {
    const struct limit *limit = &budget.limits[at];
    assert_true(at < budget.count);
    assert_int_equal(limit->line, line);
    assert_int_equal(limit->kind, kind);
    assert_int_equal(limit->measure, measure);
    assert_true(limit->most == most);
    if (pattern)
        assert_string_equal(limit->pattern, pattern);
    else
        assert_null(limit->pattern);
}

static void lines_and_limits(void **state) {
    (void)state;
    read_text("# what it may cost\n"
              "\n"
              " total allocs <= 12000  bytes<=40MiB peak <=\t1.5 KiB live <= 0 # all of it\r\n"
              "function parse_* failed <= 100");
    assert_int_equal(wrong_count, 0);
    assert_int_equal(budget.count, 5);
    assert_limit(0, 3, BUDGET_TOTAL, NULL, MEASURE_ALLOCS, 12000);
    assert_limit(1, 3, BUDGET_TOTAL, NULL, MEASURE_BYTES, 40 << 20);
    assert_limit(2, 3, BUDGET_TOTAL, NULL, MEASURE_PEAK, 1536);
    assert_limit(3, 3, BUDGET_TOTAL, NULL, MEASURE_LIVE, 0);
    assert_limit(4, 4, BUDGET_FUNCTION, "parse_*", MEASURE_FAILED, 100);
    budget_free(&budget);
}

static void quotes(void **state) {
    (void)state;
    read_text("type \"std::map<int, *>\" blocks <= 1\n"
              "function \"a \\\"b\\\" \\\\c\" leaked <= 2B\n"
              "function operator\"\" bytes <= 3\n"
              "file \"#a\" bytes <= 4\n");
    assert_int_equal(wrong_count, 0);
    assert_limit(0, 1, BUDGET_TYPE, "std::map<int, *>", MEASURE_BLOCKS, 1);
    assert_limit(1, 2, BUDGET_FUNCTION, "a \"b\" \\c", MEASURE_LEAKED, 2);
    assert_limit(2, 3, BUDGET_FUNCTION, "operator\"\"", MEASURE_BYTES, 3);
    assert_limit(3, 4, BUDGET_FILE, "#a", MEASURE_BYTES, 4);
    budget_free(&budget);
}

static void every_kind(void **state) {
    (void)state;
    for (enum budget_kind kind = 0; kind < BUDGET_KINDS; kind++) {
        char line[64] = "";
        strcat(strcat(line, budget_kind_name(kind)), kind == BUDGET_TOTAL ? " live<=7" : " x live<=7");
        read_text(line);
        assert_limit(0, 1, kind, kind == BUDGET_TOTAL ? NULL : "x", MEASURE_LIVE, 7);
        budget_free(&budget);
    }
}

/* The valid lines around the invalid one are read. */
static void assert_wrong(const char *line, const char *what) {
    char text[256] = "total allocs <= 1\n";
    strcat(strcat(text, line), "\ntotal allocs <= 3\n");
    read_text(text);
    assert_int_equal(wrong_count, 1);
    assert_int_equal(wrong_line, 2);
    assert_non_null(strstr(wrong_what, what));
    assert_int_equal(budget.count, 2);
    assert_limit(1, 3, BUDGET_TOTAL, NULL, MEASURE_ALLOCS, 3);
    budget_free(&budget);
}

static void wrong_lines(void **state) {
    (void)state;
    assert_wrong("totals bytes <= 1", "does not begin with");
    assert_wrong("Total bytes <= 1", "does not begin with");
    assert_wrong("<= 1", "does not begin with");
    assert_wrong("total", "no limit");
    assert_wrong("file", "no pattern");
    assert_wrong("file # x", "no pattern");
    assert_wrong("file x", "no limit");
    assert_wrong("file \"\" bytes <= 1", "empty pattern");
    assert_wrong("file \"x bytes <= 1", "not closed");
    assert_wrong("file \"x\\", "backslash");
    assert_wrong("file \"x\\y\" bytes <= 1", "backslash");
    assert_wrong("file \"x\"bytes <= 1", "closing quote");
    assert_wrong("file x size <= 1", "does not limit");
    assert_wrong("file x bytes < 1", "no <=");
    assert_wrong("file x bytes 1", "no <=");
    assert_wrong("file x bytes <=", "not a number");
    assert_wrong("file x bytes <= -1", "not a number");
    assert_wrong("file x bytes <= 1MB", "unit");
    assert_wrong("file x bytes <= 1kib", "unit");
    assert_wrong("file x bytes <= 1,000", "right after");
    assert_wrong("file x allocs <= 1KiB", "right after");
    assert_wrong("file x allocs <= 1.5", "right after");
    assert_wrong("file x bytes <= 1 bytes <= x", "not a number");
    assert_wrong("stack x leaked <= 1", "unknown by stack");
}

static void a_nul_byte(void **state) {
    (void)state;
    static const char text[] = "total bytes <= 1\0x\ntotal bytes <= 2";
    read_bytes(text, sizeof text - 1);
    assert_int_equal(wrong_count, 1);
    assert_non_null(strstr(wrong_what, "NUL"));
    assert_int_equal(budget.count, 1);
    budget_free(&budget);
}

static const struct place chain[] = {{"ns::Parser::run(char const*)", "/p/src/json/../parse.cpp", 7, 1},
                                     {"main", "/p/main.cpp", 9, 1}};
static const struct report_site site = {
    .view = {.id = 0x0123456789abcdef,
             .module = "/usr/bin/app",
             .sited = true,
             .at = {"void* std::get<int>(int)", "/usr/include/c++/get.h", 3, 4},
             .callee = "operator new[]",
             .type = "std::vector<int, A>",
             .inlined = chain,
             .inlined_count = 2}};
static const struct report_site unsited = {.view = {.module = "/lib/libc.so.6"}};

static bool covers(enum budget_kind kind, const char *pattern, const struct report_site *of) {
    struct subject subject;
    subject_make(&subject, of);
    bool is_covered = budget_covers(&(struct limit){.kind = kind, .pattern = pattern}, &subject);
    subject_free(&subject);
    return is_covered;
}

static void limits_apply_to_their_subjects(void **state) {
    (void)state;
    static const struct {
        enum budget_kind kind;
        const char *pattern;
    } good[] = {{BUDGET_TOTAL, NULL},
                {BUDGET_SITE, "0123456789abcdef"},
                {BUDGET_SITE, "0123*"},
                {BUDGET_FUNCTION, "std::get"},
                {BUDGET_FUNCTION, "*get<int>*"},
                {BUDGET_FUNCTION, "ns::Parser::*"},
                {BUDGET_FUNCTION, "main"},
                {BUDGET_FILE, "parse.cpp"},
                {BUDGET_FILE, "src/parse.cpp"},
                {BUDGET_FILE, "/p/src/*"},
                {BUDGET_FILE, "/usr/*"},
                {BUDGET_TYPE, "std::vector<*>"},
                {BUDGET_CALLEE, "operator new[]"},
                {BUDGET_MODULE, "app"},
                {BUDGET_MODULE, "/usr/bin/app"}};
    static const struct {
        enum budget_kind kind;
        const char *pattern;
    } bad[] = {{BUDGET_SITE, "1123456789abcdef"},
               {BUDGET_FUNCTION, "get"},
               {BUDGET_FUNCTION, "Parser*"},
               {BUDGET_FILE, "arse.cpp"},
               {BUDGET_FILE, "/src/*"},
               {BUDGET_FILE, "json/*"},
               {BUDGET_TYPE, "vector*"},
               {BUDGET_CALLEE, "malloc"},
               {BUDGET_MODULE, "pp"},
               {BUDGET_UNSITED, "app"}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(covers(good[i].kind, good[i].pattern, &site));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(covers(bad[i].kind, bad[i].pattern, &site));
}

static void limits_on_code_outside_instrumented_modules(void **state) {
    (void)state;
    assert_true(covers(BUDGET_UNSITED, "libc.so*", &unsited));
    assert_true(covers(BUDGET_MODULE, "/lib/*", &unsited));
    for (enum budget_kind kind = BUDGET_SITE; kind < BUDGET_MODULE; kind++)
        assert_false(covers(kind, "*", &unsited));
}

static void names_become_patterns(void **state) {
    (void)state;
    static const char *const names[] = {"f", "#f", "\"f", "a b", "a \\\"b\"", "tab\there", "f(char*)", "\\"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[128];
        struct out out;
        out_open(&out, -1, text, sizeof text);
        out_text(&out, "function ");
        budget_write_pattern(&out, names[i]);
        out_text(&out, " live <= 1");
        read_bytes(text, out.used);
        assert_int_equal(wrong_count, 0);
        assert_true(wildcard_match(budget.limits[0].pattern, names[i]));
        budget_free(&budget);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_and_limits),
        cmocka_unit_test(quotes),
        cmocka_unit_test(every_kind),
        cmocka_unit_test(wrong_lines),
        cmocka_unit_test(a_nul_byte),
        cmocka_unit_test(limits_apply_to_their_subjects),
        cmocka_unit_test(limits_on_code_outside_instrumented_modules),
        cmocka_unit_test(names_become_patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
