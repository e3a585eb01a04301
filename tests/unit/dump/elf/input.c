/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Members of ar archives. */
#include "dump/elf/input.h"

#include <cmocka.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HEADER(name, size) name "0           0     0     100644  " size "`\n"
#define SHORT_NAME         "a.o/            "
#define LONG_NAMES         "//              "
#define LONG_NAME          "/0              "
#define BSD_NAME           "#1/4            "
#define SIZE_2             "2         "
#define SIZE_3             "3         "
#define SIZE_6             "6         "
#define SIZE_20            "20        "

static enum archive_step open_and_step(const char *bytes, size_t size, struct archive *archive,
                                       struct archive_member *member) {
    struct reason why;
    assert_true(archive_open(archive, (const unsigned char *)bytes, size));
    return archive_next(archive, member, &why);
}

static void assert_member(const struct archive_member *member, const char *name, const char *contents) {
    assert_int_equal(member->name_size, strlen(name));
    assert_memory_equal(member->name, name, strlen(name));
    assert_int_equal(member->size, strlen(contents));
    assert_memory_equal(member->bytes, contents, strlen(contents));
}

static void reads_members(void **state) {
    (void)state;
    static const char bytes[] = "!<arch>\n" HEADER("/               ", SIZE_2) "xx" HEADER(
        SHORT_NAME, SIZE_3) "abc\n" HEADER("b.o/            ", SIZE_2) "de";
    struct archive archive;
    struct archive_member member;
    struct reason why;
    assert_int_equal(open_and_step(bytes, sizeof bytes - 1, &archive, &member), ARCHIVE_MEMBER);
    assert_member(&member, "a.o", "abc");
    assert_int_equal(archive_next(&archive, &member, &why), ARCHIVE_MEMBER);
    assert_member(&member, "b.o", "de");
    assert_int_equal(archive_next(&archive, &member, &why), ARCHIVE_END);
}

static void reads_long_names(void **state) {
    (void)state;
    static const char bytes[] =
        "!<arch>\n" HEADER(LONG_NAMES, SIZE_20) "a_long_member_name/\n" HEADER(LONG_NAME, SIZE_2) "de";
    struct archive archive;
    struct archive_member member;
    assert_int_equal(open_and_step(bytes, sizeof bytes - 1, &archive, &member), ARCHIVE_MEMBER);
    assert_member(&member, "a_long_member_name", "de");
}

static void reads_names_in_front_of_contents(void **state) {
    (void)state;
    static const char bytes[] = "!<arch>\n" HEADER(BSD_NAME, SIZE_6) "b.o\0de";
    struct archive archive;
    struct archive_member member;
    assert_int_equal(open_and_step(bytes, sizeof bytes - 1, &archive, &member), ARCHIVE_MEMBER);
    assert_member(&member, "b.o", "de");
}

static void thin_members_are_elsewhere(void **state) {
    (void)state;
    static const char bytes[] =
        "!<thin>\n" HEADER(LONG_NAMES, SIZE_20) "a_long_member_name/\n" HEADER(LONG_NAME, SIZE_20);
    struct archive archive;
    struct archive_member member;
    struct reason why;
    assert_int_equal(open_and_step(bytes, sizeof bytes - 1, &archive, &member), ARCHIVE_MEMBER);
    assert_null(member.bytes);
    assert_int_equal(member.name_size, strlen("a_long_member_name"));
    assert_int_equal(archive_next(&archive, &member, &why), ARCHIVE_END);
}

static void damage_is_an_error(void **state) {
    (void)state;
    static const char cut[] = "!<arch>\n" HEADER(SHORT_NAME, SIZE_3) "a";
    static const char nameless[] = "!<arch>\n" HEADER(LONG_NAME, SIZE_2) "de";
    static const char garbage[] = "!<arch>\nThis is not the header of a member, though it is as long as one.";
    struct archive archive;
    struct archive_member member;
    assert_int_equal(open_and_step(cut, sizeof cut - 1, &archive, &member), ARCHIVE_DAMAGED);
    assert_int_equal(open_and_step(nameless, sizeof nameless - 1, &archive, &member), ARCHIVE_DAMAGED);
    assert_int_equal(open_and_step(garbage, sizeof garbage - 1, &archive, &member), ARCHIVE_DAMAGED);
}

static void other_files_are_no_archives(void **state) {
    (void)state;
    struct archive archive;
    assert_false(archive_open(&archive, (const unsigned char *)"\177ELF____", 8));
    assert_false(archive_open(&archive, (const unsigned char *)"!<arch>", 7));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_members),
        cmocka_unit_test(reads_long_names),
        cmocka_unit_test(reads_names_in_front_of_contents),
        cmocka_unit_test(thin_members_are_elsewhere),
        cmocka_unit_test(damage_is_an_error),
        cmocka_unit_test(other_files_are_no_archives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
