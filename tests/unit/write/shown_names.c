/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names that would be shortened to the same text are shown differently, and a shown name selects only its own
 * row. */
#include "write/shown_names.h"

#include "base/words.h"
#include "model/filter.h"

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool selects(enum name_kind kind, const char *pattern, const char *name) {
    return (kind == NAME_TYPE ? filter_is_type : filter_is_shown_function)(pattern, name);
}

static void check(enum name_kind kind, const char *const *names, size_t count, size_t columns) {
    struct shown_names all = {0};
    char text[NAME_SIZE], cut[NAME_SIZE], other[NAME_SIZE];
    for (size_t i = 0; i < count; i++)
        shown_names_add(&all, kind, names[i]);
    for (size_t i = 0; i < count; i++) {
        const char *shown = shown_name(&all, kind, names[i], columns, text);
        (kind == NAME_TYPE ? name_type : name_function)(cut, names[i], columns);
        assert_true(selects(kind, shown, names[i]));
        for (size_t j = 0; j < count; j++) {
            if (j == i)
                continue;
            assert_string_not_equal(shown, shown_name(&all, kind, names[j], columns, other));
            assert_false(strcmp(shown, cut) != 0 && selects(kind, shown, names[j]));
        }
    }
    shown_names_free(&all);
}

static void functions(void **state) {
    (void)state;
    static const char *const names[] = {
        "make(int)",
        "make(unsigned int)",
        "make(std::vector<int, std::allocator<int> >)",
        "ns::make(int)",
        "void cache<std::map<int, std::pair<long, first> > >::make<int>(int)",
        "void cache<std::map<int, std::pair<long, second> > >::make<int>(int)",
        "void cache<std::map<int, std::pair<long, second> > >::make<int>(long)",
        "std::ostream& operator<< <std::map<int, std::pair<long, first> > >(std::ostream&, char const*)",
        "std::ostream& operator<< <std::map<int, std::pair<long, second> > >(std::ostream&, char const*)",
        "list<list<list<list<list<int> > > > >::operator()(int) const",
        "list<list<list<list<list<long> > > > >::operator()(int) const",
        "(anonymous namespace)::parser<list<list<list<list<list<int> > > > > >::parse()",
        "(anonymous namespace)::parser<list<list<list<list<list<char> > > > > >::parse()",
        "broken<broken<broken<broken<broken<broken<broken<first",
        "broken<broken<broken<broken<broken<broken<broken<second",
        "",
    };
    for (size_t columns = 1; columns < 90; columns++)
        check(NAME_FUNCTION, names, sizeof names / sizeof *names, columns);
}

/* Writes a type of random templates, which may be longer than NAME_SIZE. */
static void put_type(char *text, size_t size, int depth) {
    static const char *const plain[] = {"int", "long", "unsigned int", "char", "ns::integer"};
    static const char *const templates[] = {"list", "std::vector", "ns::map", "very_long_name_of_a_template"};
    size_t used = strlen(text);
    if (depth == 0 || rand() % 8 == 0) {
        snprintf(text + used, size - used, "%s", plain[(size_t)rand() % 5]);
        return;
    }
    snprintf(text + used, size - used, "%s<", templates[(size_t)rand() % 4]);
    for (int count = 1 + rand() % 3, i = 0; i < count; i++) {
        if (i)
            strcat(text, ", ");
        put_type(text, size, depth - 1);
    }
    strcat(text, ">");
}

static bool is_new(char *const *names, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return false;
    return true;
}

static void types(void **state) {
    enum { NAMES = 100, LONGEST = 1 << 16 };
    (void)state;
    char *names[NAMES], *text = malloc(LONGEST);
    srand(1);
    for (size_t i = 0; i < NAMES;) {
        text[0] = '\0';
        put_type(text, LONGEST / 2, 2 + (int)(i % 5));
        if (is_new(names, i, text))
            names[i++] = strdup(text);
    }
    for (size_t columns = 20; columns < 130; columns += 20)
        check(NAME_TYPE, (const char *const *)names, NAMES, columns);
    for (size_t i = 0; i < NAMES; i++)
        free(names[i]);
    free(text);
}

static void without_names(void **state) {
    (void)state;
    char text[NAME_SIZE];
    struct shown_names none = {0};
    const char *name = "list<list<list<list<int>>>>";
    assert_string_equal(shown_name(NULL, NAME_TYPE, name, 20, text), "list<list<...>>");
    assert_string_equal(shown_name(&none, NAME_TYPE, name, 20, text), "list<list<...>>");
    shown_names_add(&none, NAME_TYPE, "list<list<list<list<long>>>>");
    assert_string_equal(shown_name(&none, NAME_TYPE, name, 20, text), "list<list<...>>");
    shown_names_add(&none, NAME_TYPE, name);
    assert_string_equal(shown_name(&none, NAME_TYPE, name, 20, text), "list<...list<int>>>>");
    shown_names_free(&none);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(functions), cmocka_unit_test(types),
                                       cmocka_unit_test(without_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
