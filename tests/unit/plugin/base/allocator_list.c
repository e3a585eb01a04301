/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-list(5): parsing, error messages, and the line that applies to a function. */
#include <string.h>

#include <cmocka.h>

#include "base/allocator_list.h"

static struct allocator_list read(const char *text) {
    struct allocator_list list = {0};
    struct list_error error;
    bool is_read = allocator_list_add(&list, "list.txt", text, strlen(text), &error);
    if (!is_read)
        print_error("line %u: %s\n", error.line, error.text);
    assert_true(is_read);
    return list;
}

static const struct list_entry *find(const struct allocator_list *list, const char *name) {
    return allocator_list_find(list, &name, 1);
}

static void reads_every_kind(void **state) {
    (void)state;
    static const struct {
        const char *line;
        struct listed_function want;
    } cases[] = {
        {"fun:f=wrapper", {.kind = LISTED_WRAPPER}},
        {"fun:f=wrapper size=2 align=1", {.kind = LISTED_WRAPPER, .size = 2, .align = 1}},
        {"fun:f=alloc size=1 count=2 arena=3", {.kind = LISTED_ALLOC, .size = 1, .count = 2, .arena = 3}},
        {"fun:f=alloc bytes=4096", {.kind = LISTED_ALLOC, .bytes = 4096}},
        {"fun:f=realloc pointer=2 size=3", {.kind = LISTED_REALLOC, .pointer = 2, .size = 3}},
        {"fun:f=free pointer=255", {.kind = LISTED_FREE, .pointer = 255}},
        {"fun:f=mark arena=1", {.kind = LISTED_MARK, .arena = 1}},
        {"fun:f=release\tarena=1   pointer=2", {.kind = LISTED_RELEASE, .arena = 1, .pointer = 2}},
        {"fun:f=chunk", {.kind = LISTED_CHUNK}},
        {"fun:f=ignore", {.kind = LISTED_IGNORE}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct allocator_list list = read(cases[i].line);
        assert_int_equal(list.count, 1);
        assert_memory_equal(&find(&list, "f")->function, &cases[i].want, sizeof cases[i].want);
    }
}

static void skips_sections_of_other_tools(void **state) {
    (void)state;
    struct allocator_list list = read("# a comment\n"
                                      "\r\n"
                                      "fun:before=ignore\n"
                                      "[address|thread]\n"
                                      "what=ever\n"
                                      "[allocsite]\r\n"
                                      "  fun:ours=ignore  \r\n"
                                      "[*]\n"
                                      "src:/usr/*=ignore\n"
                                      "type:std::*=ignore");
    assert_int_equal(list.count, 4);
    assert_non_null(find(&list, "before"));
    assert_int_equal(find(&list, "ours")->line, 7);
    assert_string_equal(find(&list, "ours")->file, "list.txt");
    assert_true(allocator_list_ignores(&list, LIST_SOURCES, "/usr/include/a.h"));
    assert_false(allocator_list_ignores(&list, LIST_SOURCES, "/home/usr/a.h"));
    assert_true(allocator_list_ignores(&list, LIST_TYPES, "std::string"));
    assert_false(allocator_list_ignores(&list, LIST_TYPES, "string"));
    assert_null(find(&list, "/usr/x"));
}

static void takes_names_as_they_are_written(void **state) {
    (void)state;
    struct allocator_list list = read("fun:operator new[](unsigned long)=wrapper size=1\n"
                                      "fun:a::operator==(a const&)=free pointer=2\n"
                                      "fun:arena_*=alloc size=2\n"
                                      "fun:arena_debug=ignore\n");
    assert_int_equal(find(&list, "operator new[](unsigned long)")->line, 1);
    assert_int_equal(find(&list, "a::operator==(a const&)")->function.pointer, 2);
    assert_int_equal(find(&list, "arena_alloc")->line, 3);
    assert_int_equal(find(&list, "arena_debug")->line, 4); /* the last line counts */
    assert_null(find(&list, "arena"));
    const char *names[] = {"_ZN1aC2Ev", "arena_x"};
    assert_int_equal(allocator_list_find(&list, names, 2)->line, 3);
}

static void refuses_with_line_and_reason(void **state) {
    (void)state;
    static const struct {
        const char *text;
        unsigned line;
        const char *why;
    } cases[] = {
        {"fun:f=alocate size=1", 1, "unknown kind 'alocate'"},
        {"\n\nfun:f=alloc sise=1", 3, "unknown argument 'sise'"},
        {"fun:f=alloc size=0", 1, "'size=0' is not a number from 1 to 255"},
        {"fun:f=alloc size=256", 1, "'size=256' is not a number from 1 to 255"},
        {"fun:f=alloc size=-1", 1, "'size=-1' is not a number from 1 to 255"},
        {"fun:f=alloc bytes=4294967296", 1, "'bytes=4294967296' is not a number from 1 to 4294967295"},
        {"fun:f=alloc", 1, "alloc needs size=N or bytes=N"},
        {"fun:f=realloc size=2", 1, "realloc needs pointer=N"},
        {"fun:f=free", 1, "free needs pointer=N"},
        {"fun:f=release pointer=1", 1, "release needs arena=N"},
        {"fun:f=mark", 1, "mark needs arena=N"},
        {"fun:f", 1, "'fun:f' is not PREFIX:PATTERN=KIND"},
        {"fun:=ignore", 1, "'fun:=ignore' is not PREFIX:PATTERN=KIND"},
        {"func:f=ignore", 1, "unknown prefix 'func'"},
        {"malloc", 1, "'malloc' is no fun:, src: or type:"},
        {"src:a.c=alloc size=1", 1, "only functions can be 'alloc'"},
        {"fun:f=", 1, "unknown kind ''"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct allocator_list list = {0};
        struct list_error error;
        assert_false(allocator_list_add(&list, "list.txt", cases[i].text, strlen(cases[i].text), &error));
        assert_string_equal(error.text, cases[i].why);
        assert_int_equal(error.line, cases[i].line);
        assert_int_equal(list.count, 0);
    }
}

static void names_a_file_that_is_missing(void **state) {
    (void)state;
    struct allocator_list list = {0};
    struct list_error error;
    assert_false(allocator_list_read(&list, "/nowhere/list.txt", &error));
    assert_int_equal(error.line, 0);
    assert_string_equal(error.text, "No such file or directory");
    assert_false(allocator_list_read(&list, "/", &error));
    assert_string_equal(error.text, "Is a directory");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_kind),
        cmocka_unit_test(skips_sections_of_other_tools),
        cmocka_unit_test(takes_names_as_they_are_written),
        cmocka_unit_test(refuses_with_line_and_reason),
        cmocka_unit_test(names_a_file_that_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
