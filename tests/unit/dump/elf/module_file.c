/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Build ids, as notes tell them. */
#include "dump/elf/module_file.h"

#include <cmocka.h>
#include <elf.h>
#include <string.h>

static const char *build_id_of(const void *notes, uint64_t size) {
    static char text[BUILD_ID_SIZE];
    struct elf_section section = {.name = "", .type = SHT_NOTE, .bytes = notes, .size = size};
    struct elf_file elf = {.sections = &section, .count = 1};
    elf_build_id(&elf, text);
    return text;
}

static void build_ids(void **state) {
    (void)state;
    struct {
        Elf64_Nhdr other;
        char other_name[4];
        Elf64_Nhdr header;
        char name[4];
        unsigned char id[4];
    } notes = {{4, 0, NT_GNU_ABI_TAG}, "GNU", {4, 3, NT_GNU_BUILD_ID}, "GNU", {0x01, 0xfe, 0x90}};
    assert_string_equal(build_id_of(&notes, sizeof notes), "01fe90");
    assert_string_equal(build_id_of(&notes, sizeof notes - 1), "");
    notes.header.n_descsz = UINT32_MAX;
    assert_string_equal(build_id_of(&notes, sizeof notes), "");
    notes.header.n_descsz = 3;
    notes.header.n_namesz = UINT32_MAX;
    assert_string_equal(build_id_of(&notes, sizeof notes), "");
    assert_string_equal(build_id_of(NULL, 100), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(build_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
