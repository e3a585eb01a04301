/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report as text. */
#include "report_rows.h"
#include "write/lines.h"
#include "write/summary.h"

static void text(void **state) {
    (void)state;
    struct report report = prepared((struct report_limits){0});
    assert_string_equal(
        text_of(&report, FORMAT_TEXT),
        "allocsite: /bin/p, pid 7\n"
        "total: 4.4 KiB in 10 allocations and 4 reallocations, 1 failed\n"
        "live at exit: 300 B in 7 blocks; peak: 1.4 KiB in 9 blocks\n"
        "lines: known from the plugin for 64.3% of the calls and 97.8% of the bytes; the others, 1 module, "
        "from "
        "symbols and debug information alone\n"
        "  bytes  bytes%  allocs  reallocs  moved  failed   live    peak  site\n"
        "3.9 KiB   88.9%       1         4      4       1    0 B  1000 B  a.c:20: g -> realloc\n"
        "                                                                   called by outer (a.c:30)\n"
        "  400 B    8.9%       4         0      0       0  200 B   300 B  a.c:10:5: f -> malloc\n"
        "  100 B    2.2%       5         0      0       0  100 B   100 B  libc.so\n");
}

static void leaks_are_sites_with_live_blocks_leaked_ones_first(void **state) {
    (void)state;
    struct report report = unprepared();
    report.reach = true;
    copies[2].counters.leaked_blocks = 1;
    copies[2].counters.leaked_bytes = 20;
    report_prepare(&report, &(struct report_limits){.leaks = true});
    assert_int_equal(report.shown, 2);
    assert_int_equal(report.sites[0]->view.id, 3);
    assert_string_equal(strstr(text_of(&report, FORMAT_TEXT), "alone\n"),
                        "alone\n"
                        "leaked   live  live%  blocks  allocs  site\n"
                        "  20 B  100 B  33.3%       5       5  libc.so\n"
                        "   0 B  200 B  66.7%       2       4  a.c:10:5: f -> malloc\n");
}

/* Returns the lines after the row of function f, up to the next row. */
static const char *below_f(const struct report *report) {
    static char lines[2048];
    size_t used = 0;
    const char *line = strchr(strstr(text_of(report, FORMAT_TEXT), "  a.c:10:5: f"), '\n') + 1;
    while (strncmp(line, "          ", 10) == 0) {
        const char *start = line + strspn(line, " "), *end = strchr(line, '\n') + 1;
        memcpy(lines + used, start, (size_t)(end - start));
        used += (size_t)(end - start);
        line = end;
    }
    lines[used] = '\0';
    return lines;
}

static void shows_sizes(void **state) {
    (void)state;
    struct report report = unprepared();
    copies[0].sizes = sizes[0];
    sizes[0][0] = 1;
    sizes[0][size_class(8)] = 30;
    sizes[0][size_class(16)] = 60;
    sizes[0][size_class(100)] = 9;
    report_prepare(&report, &(struct report_limits){.sizes = true});
    assert_string_equal(below_f(&report),
                        "sizes: 0 B ▁···▄█·▂ 127 B (a bar per power of two), 60.0% from 16 B to 31 B\n");
    report.limits.sizes = false;
    assert_string_equal(below_f(&report), "");
}

static void shows_the_ends_of_the_sizes(void **state) {
    (void)state;
    struct report report = unprepared();
    copies[0].sizes = sizes[0];
    sizes[0][SIZE_CLASSES - 1] = UINT64_MAX;
    report_prepare(&report, &(struct report_limits){.sizes = true});
    assert_string_equal(below_f(&report), "sizes: 64.0 TiB to more\n");
    sizes[0][SIZE_CLASSES - 1] = 0;
    sizes[0][0] = 7;
    assert_string_equal(below_f(&report), "sizes: 0 B\n");
    sizes[0][0] = 0;
    assert_string_equal(below_f(&report), "");
}

static void shows_the_largest_pairs_and_sums_up_the_rest(void **state) {
    (void)state;
    struct report report = unprepared();
    add_pair(&report, PAIR_FREE, 0, 4, 1, 100);
    add_pair(&report, PAIR_FREE, 0, 2, 1, 60);
    add_pair(&report, PAIR_FREE, 0, 1, 1, 50);
    add_pair(&report, PAIR_REALLOC, 0, 0, 3, 40);
    add_pair(&report, PAIR_REALLOC, 0, -1, 3, 30);
    add_pair(&report, PAIR_REALLOC, 0, 4, 1, 20);
    add_pair(&report, PAIR_REALLOC, 0, 2, 1, 10);
    report.has_pairs = true;
    report_prepare(&report, &(struct report_limits){.pairs = true});
    assert_string_equal(below_f(&report), "1 block of 100 B freed by a.c:40:1: h -> free\n"
                                          "1 block of 60 B freed by libc.so\n"
                                          "1 block of 50 B freed by a.c:20: g -> realloc <- outer (a.c:30)\n"
                                          "3 blocks of 40 B reallocated by itself\n"
                                          "3 blocks of 30 B reallocated by an unknown place\n"
                                          "2 blocks of 30 B by 2 more\n");
    assert_null(strstr(text_of(&report, FORMAT_TEXT), "FAULT"));
}

static void faults_stand_above_the_table(void **state) {
    (void)state;
    struct report report = unprepared();
    add_pair(&report, FAULT_DOUBLE_FREE, 1, 4, 2, 80);
    report_prepare(&report, &(struct report_limits){0});
    const char *text = text_of(&report, FORMAT_TEXT);
    const char *fault = strstr(text, "\nFAULT: freed twice, 2 times (80 B)\n"
                                     "  allocated by a.c:20: g -> realloc\n"
                                     "  called by outer (a.c:30)\n"
                                     "  freed by a.c:40:1: h -> free\n");
    assert_non_null(fault);
    assert_true(fault < strstr(text, "  site\n"));
    assert_non_null(strstr(
        text_of(&report, FORMAT_MARKDOWN),
        "\n**Fault:** freed twice, 2 times (80 B)<br>allocated by `a.c:20`: `g` -> `realloc`<br>called "
        "by `outer` (`a.c:30`)<br>freed by `a.c:40:1`: `h` -> `free`\n"));
}

static void advises_to_reuse_a_buffer(void **state) {
    (void)state;
    static const struct {
        struct counters counters;
        const char *advice;
    } cases[] = {
        {{.allocs = 1000, .max_live_blocks = 1}, "never two blocks at once: a buffer to reuse\n"},
        {{.allocs = 999, .max_live_blocks = 1}, ""},
        {{.allocs = 1000, .max_live_blocks = 2}, ""},
        {{.allocs = 1000, .max_live_blocks = 1, .max_live_blocks_within = 1}, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct report report = unprepared();
        copies[0].counters = cases[i].counters;
        copies[3].counters = (struct counters){0};
        report_prepare(&report, &(struct report_limits){0});
        assert_string_equal(below_f(&report), cases[i].advice);
    }
}

static void shows_details_of_live_blocks(void **state) {
    (void)state;
    struct report report = unprepared();
    report.peak_within = 65536;
    report.reach = true;
    report.finished = false;
    copies[2].counters.leaked_blocks = 1;
    copies[2].counters.leaked_bytes = 20;
    copies[2].counters.possibly_leaked_blocks = 2;
    copies[2].counters.possibly_leaked_bytes = 30;
    copies[2].counters.inherited_blocks = 3;
    copies[2].counters.inherited_bytes = 33;
    report_prepare(&report, &(struct report_limits){0});
    const char *text = text_of(&report, FORMAT_TEXT);
    assert_non_null(
        strstr(text, "\nlive so far: 300 B in 7 blocks; peak: 1.4 KiB in 9 blocks (at most 64.0 KiB more)\n"
                     "leaked: 20 B in 1 block; possibly leaked: 30 B in 2 blocks, to which only memory "
                     "points that the program mapped "
                     "itself; still reachable: 250 B in 4 blocks\n"
                     "inherited: 33 B in 3 blocks that existed when counting began\n"));
    report.reach = false;
    report.leaked_unknown = "nobody looks";
    assert_non_null(strstr(text_of(&report, FORMAT_TEXT), "\nleaked: not known, nobody looks\n"));
    assert_non_null(strstr(text_of(&report, FORMAT_JSON), ",\"leaked_unknown\":\"nobody looks\","));
}

/* No byte of a program's names may control the terminal. */
static void names_are_harmless(void **state) {
    (void)state;
    struct report report = unprepared();
    static const char *const reasons[] = {"\x1b[1m"};
    report.program = "/bin/\x1b[2J";
    report.reasons = reasons;
    report.reason_count = 1;
    copies[1].view.callee = "a\x1b`|\xFF";
    report_prepare(&report, &(struct report_limits){0});
    assert_null(strchr(text_of(&report, FORMAT_TEXT), '\x1b'));
    assert_null(strchr(text_of(&report, FORMAT_MARKDOWN), '\x1b'));
    assert_non_null(strstr(text_of(&report, FORMAT_MARKDOWN), " `a?'\\|?`<br>"));
}

static size_t widest_line(const char *text) {
    size_t widest = 0;
    for (const char *end; *text; text = end + 1) {
        size_t columns = 0;
        end = strchr(text, '\n');
        for (; text < end; text++)
            columns += (*text & 0xC0) != 0x80;
        widest = columns > widest ? columns : widest;
    }
    return widest;
}

/* A line must not end with a number whose unit is on the next line. */
static bool tears_numbers(const char *text) {
    for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
        const char *word = end;
        while (word > text && strchr("0123456789.,+(", word[-1]))
            word--;
        if (word < end && word > text && word[-1] == ' ' && end[1] == ' ')
            return true;
    }
    return false;
}

static void asks_whether_a_folder_of_headers_is_a_library(void **state) {
    (void)state;
    static const char hint[] =
        "4 of 5 rows are in headers of lib/json; if that is a library, compile with -isystem "
        "instead of -I, or with -fallocsite-library='*/json/*', to see the lines that "
        "call it\n";
    static const char *const files[ROWS] = {"/src/lib/json/a.hpp", "/src/lib/json/a.hpp", "/src/a.c",
                                            "/src/lib/json/detail/b.h", "/src/lib/json/c.h"};
    struct report report = unprepared();
    for (int i = 0; i < ROWS; i++) {
        copies[i].view = (struct site_view){
            .id = (uint64_t)i + 1, .sited = true, .at = {"f", files[i], 10 + (uint32_t)i, 0}};
        copies[i].counters = (struct counters){.allocs = 1, .alloc_bytes = 1};
    }
    report_prepare(&report, &(struct report_limits){0});
    assert_non_null(strstr(text_of(&report, FORMAT_TEXT), hint));
    copies[0].view.sited = copies[1].view.sited = false;
    assert_null(strstr(text_of(&report, FORMAT_TEXT), "headers of"));
    copies[0].view.sited = copies[1].view.sited = true;
    copies[2].view.at.file = "/src/lib/json/a.c";
    assert_null(strstr(text_of(&report, FORMAT_TEXT), "headers of"));
    copies[2].view.at.file = "/src/a.c";
    copies[3].view.at.file = copies[4].view.at.file = "/src/b.c";
    assert_null(strstr(text_of(&report, FORMAT_TEXT), "headers of"));
}

/* Columns are dropped, names and paths shortened, sentences wrapped; the source location comes first. */
static void every_line_fits(void **state) {
    (void)state;
    struct report report = unprepared();
    static const char *const reasons[] = {
        "of a reason that takes many words to say, more than a line has room "
        "for, and some more to be told on a second one"};
    static const struct place callers[] = {
        {"void (anonymous namespace)::run<std::vector<int, std::allocator<int> > >(int)",
         "/src/a/very/deep/folder/of/a/"
         "project/with/long/names/of/its/folders/and/files.cpp",
         30, 2}};
    copies[0].view.at = (struct place){"ns::inner<std::map<std::string, std::vector<std::string> > >::f(int)",
                                       "/src/some/folder/inner.cpp", 12345, 17};
    copies[0].view.type = "std::map<std::string, std::vector<std::string>, std::less<std::string> >";
    copies[0].view.inlined = callers;
    copies[0].view.inlined_count = 1;
    copies[0].counters.alloc_bytes = UINT64_MAX / 2;
    report.reasons = reasons;
    report.reason_count = 1;
    add_pair(&report, PAIR_FREE, 0, 1, 4, 100);
    add_pair(&report, FAULT_DOUBLE_FREE, 0, 1, 4, 100);
    report.has_pairs = true;
    report_prepare(&report, &(struct report_limits){.pairs = true});
    for (report.width = 60; report.width < 240; report.width++) {
        assert_in_range(widest_line(text_of(&report, FORMAT_TEXT)), report.width / 2, report.width);
        assert_false(tears_numbers(text_of(&report, FORMAT_TEXT)));
        assert_null(strstr(text_of(&report, FORMAT_TEXT), "(anonymous\n"));
    }
    report.width = 100;
    assert_non_null(strstr(
        text_of(&report, FORMAT_TEXT),
        "  some/folder/inner.cpp:12345:17:\n"
        "            ns::inner<...>::f -> malloc [std::map<std::string, std::vector<std::string>>]\n"));
    report.limits.sort = SORT_PEAK;
    report.width = 60;
    assert_non_null(strstr(text_of(&report, FORMAT_TEXT), "(.../names/of/its/folders/and/files.cpp:30)\n"));
    assert_non_null(strstr(text_of(&report, FORMAT_TEXT), "  peak%  site\n"));
    report.limits.full_names = true;
    assert_non_null(strstr(text_of(&report, FORMAT_TEXT), copies[0].view.at.function));
    assert_non_null(strstr(text_of(&report, FORMAT_TEXT), copies[0].view.type));
}

/* Library frames between two locations of the program. */
static void libraries_are_left_out_of_inline_chains(void **state) {
    (void)state;
    static const struct place inlined[] = {{"std::construct", "/usr/include/c++/12/bits/alloc.h", 1, 1},
                                           {"make", "/src/inner.cpp", 20, 2},
                                           {"std::invoke", "/opt/llvm/include/c++/v1/invoke.h", 2, 2},
                                           {"outer", "/src/outer.cpp", 30, 2},
                                           {"std::for_each", "/usr/include/c++/12/bits/for.h", 3, 3}};
    struct report report = unprepared();
    copies[1].view.inlined = inlined;
    copies[1].view.inlined_count = sizeof inlined / sizeof *inlined;
    report_prepare(&report, &(struct report_limits){0});
    report.width = 100;
    assert_non_null(
        strstr(text_of(&report, FORMAT_TEXT), "  called by make (inner.cpp:20) <- outer (outer.cpp:30)\n"));
    assert_null(strstr(text_of(&report, FORMAT_TEXT), "std::"));
    report.limits.full_names = true;
    assert_non_null(strstr(text_of(&report, FORMAT_TEXT), "for.h:3"));
    assert_non_null(strstr(text_of(&report, FORMAT_TEXT), "invoke.h:2"));
}

static void colours_only_a_terminal(void **state) {
    (void)state;
    struct report report = prepared((struct report_limits){0});
    assert_null(strchr(text_of(&report, FORMAT_TEXT), '\x1b'));
    report.is_coloured = true;
    report.width = 100;
    assert_non_null(strstr(text_of(&report, FORMAT_TEXT), "\x1b[1ma.c:10:5\x1b[m: f -> malloc\n"));
    assert_null(strchr(text_of(&report, FORMAT_MARKDOWN), '\x1b'));
    assert_null(strchr(text_of(&report, FORMAT_JSON), '\x1b'));
}

/* Callers have their shares of the calls. For a library, the function that the program called is shown. */
static void callers_of_rows(void **state) {
    (void)state;
    struct report report = unprepared();
    static const struct report_module libc = {.path = "/lib/libc.so"}, program = {.path = "/bin/p"};
    static struct report_frame frames[] = {{.module = &program, .address = 1, .function = "f"},
                                           {.module = &program, .address = 2, .function = "A::load(int)"},
                                           {.module = &program, .address = 3, .function = "main"},
                                           {.module = &libc, .address = 4, .function = "__libc_start_main"}};
    static struct report_frame inside[] = {{.module = &libc, .address = 1, .function = "_IO_file_doallocate"},
                                           {.module = &libc, .address = 2, .function = "_IO_do_write"},
                                           {.module = &libc, .address = 3, .function = "printf"},
                                           {.module = &program, .address = 4, .function = NULL}};
    static const struct place load[] = {{"A::load(int)", "/src/b.cpp", 7, 3}, {"main", "/src/b.cpp", 9, 1}},
                              start = {.function = "main"};
    const struct place part[] = {load[0], start};
    struct report_caller callers[3];
    struct report_stack stacks[] = {{.site = &copies[0],
                                     .frames = frames + 1,
                                     .frame_count = 2,
                                     .counters = {.allocs = 1, .alloc_bytes = 90},
                                     .callers = part,
                                     .caller_count = 2},
                                    {.site = &copies[0],
                                     .frames = frames,
                                     .frame_count = 4,
                                     .counters = {.allocs = 3, .alloc_bytes = 200},
                                     .callers = load,
                                     .caller_count = 2},
                                    {.site = &copies[2],
                                     .frames = inside,
                                     .frame_count = 4,
                                     .counters = {.allocs = 5, .alloc_bytes = 100}}};
    copies[2].view.address = 1;
    copies[2].view.at.function = "_IO_file_doallocate";
    report.stacks = stacks;
    report.stack_count = 3;
    report.callers = callers;
    report_prepare(&report, &(struct report_limits){.apart = true});
    assert_string_equal(below_f(&report),
                        "called by A::load (b.cpp:7) <- main (b.cpp:9) 75.0%, main 25.0%\n");
    assert_non_null(strstr(text_of(&report, FORMAT_TEXT),
                           "100 B buffer of stdio: libc.so+0x1: _IO_file_doallocate for printf\n"));
    stacks[0].caller_count = stacks[1].caller_count = 0;
    report_prepare(&report, &(struct report_limits){.apart = true});
    assert_string_equal(below_f(&report), "");
}

static const struct report_call calls[] = {{.at.function = "malloc_for", .module = "/lib/libx.so.1"},
                                           {.at.function = "inner", .is_inlined = true},
                                           {.at.function = "f"},
                                           {.at.function = "[function at 0x40]", .module = "/lib/libx.so.1"},
                                           {.at.function = "[function at 0x50]", .module = "/lib/libx.so.1"},
                                           {.at.function = "[function at 0x60]", .module = "/bin/p"},
                                           {.module = "/bin/p", .address = 0x70},
                                           {.at.function = "load"}};

/* Makes one call per frame of the stack; the line is in the second frame. */
static const struct report_call *take_calls(struct report_paths *paths, const struct report_stack *stack,
                                            size_t *count, size_t *line) {
    (void)paths;
    *count = stack->frame_count;
    *line = 1;
    return calls;
}

static const char *below_stack(const struct report *report, const struct report_stack *stack,
                               uint64_t depth) {
    static char text[2048];
    struct out out;
    out_open_memory(&out, text, sizeof text);
    details_of_stack(&(struct page){.out = &out, .report = report}, stack, depth, 4);
    return text + strspn(text, "\n ");
}

static void callers_follow_the_function_with_the_line(void **state) {
    (void)state;
    struct report_paths paths = {.take = take_calls};
    struct report report = unprepared();
    const struct report_stack stack = {.site = &copies[0], .frame_count = 8};
    report.paths = &paths;
    report_prepare(&report, &(struct report_limits){0});
    assert_string_equal(below_stack(&report, &stack, 0), "4 calls by libx.so.1 <- p <- p+0x70 <- load");
    assert_string_equal(below_stack(&report, &stack, 5), "4 calls by libx.so.1");
    assert_string_equal(below_stack(&report, &stack, 3), "");
    report.paths = NULL;
    assert_string_equal(below_stack(&report, &stack, 0), "");
}

static void an_empty_report(void **state) {
    (void)state;
    struct report report = {.program = "p"};
    report_prepare(&report, &(struct report_limits){0});
    assert_string_equal(text_of(&report, FORMAT_TEXT), "allocsite: p, pid 0\ntotal: 0 B in 0 allocations\n"
                                                       "live so far: nothing; peak: 0 B in 0 blocks\n");
    assert_non_null(
        strstr(text_of(&report, FORMAT_JSON), "\n\"sites\":[],\n\"faults\":[],\n\"stacks\":[]}\n"));
}

// Calendar dates at the ends of months, years, leap years and centuries.
static void shows_the_time_of_the_run(void **state) {
    (void)state;
    static const struct {
        uint64_t begun, milliseconds;
        uint32_t ending;
        const char *line;
    } cases[] = {
        {1, 86399999, PROFILE_EXIT, "1970-01-01 00:00:01 UTC for 86399.999 s, ended by exit with status 7\n"},
        {951782399, 5, PROFILE_EXIT_AT_ONCE,
         "2000-02-28 23:59:59 UTC for 0.005 s, ended by _exit with status 7\n"},
        {951782400, 60, PROFILE_QUICK_EXIT, "2000-02-29 00:00:00 UTC for 0.060 s, ended by quick_exit\n"},
        {1709251199, 0, PROFILE_ENDINGS, "2024-02-29 23:59:59 UTC for 0.000 s\n"},
        {1709251200, 0, PROFILE_NO_ENDING, "2024-03-01 00:00:00 UTC for 0.000 s\n"},
        {4102444799, 1000, PROFILE_EXIT,
         "2099-12-31 23:59:59 UTC for 1.000 s, ended by exit with status 7\n"},
        {4107542399, 1000, PROFILE_EXIT,
         "2100-02-28 23:59:59 UTC for 1.000 s, ended by exit with status 7\n"},
        {4107542400, 1000, PROFILE_EXIT,
         "2100-03-01 00:00:00 UTC for 1.000 s, ended by exit with status 7\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct report report = {.program = "p", .finished = true};
        char line[200] = "\nran: ";
        report.run =
            (struct report_run){.begun = cases[i].begun * 1000000000,
                                .ended = cases[i].begun * 1000000000 + cases[i].milliseconds * 1000000,
                                .ending = cases[i].ending,
                                .status = 7};
        report_prepare(&report, &(struct report_limits){0});
        assert_non_null(strstr(text_of(&report, FORMAT_TEXT), strcat(line, cases[i].line)));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text),
        cmocka_unit_test(leaks_are_sites_with_live_blocks_leaked_ones_first),
        cmocka_unit_test(shows_sizes),
        cmocka_unit_test(shows_the_ends_of_the_sizes),
        cmocka_unit_test(shows_the_largest_pairs_and_sums_up_the_rest),
        cmocka_unit_test(faults_stand_above_the_table),
        cmocka_unit_test(advises_to_reuse_a_buffer),
        cmocka_unit_test(shows_details_of_live_blocks),
        cmocka_unit_test(names_are_harmless),
        cmocka_unit_test(asks_whether_a_folder_of_headers_is_a_library),
        cmocka_unit_test(every_line_fits),
        cmocka_unit_test(libraries_are_left_out_of_inline_chains),
        cmocka_unit_test(colours_only_a_terminal),
        cmocka_unit_test(callers_of_rows),
        cmocka_unit_test(callers_follow_the_function_with_the_line),
        cmocka_unit_test(an_empty_report),
        cmocka_unit_test(shows_the_time_of_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
