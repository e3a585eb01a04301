/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Build ids from notes, and files that change. */
#include "dump/elf/elf_file.h"
#include "dump/elf/module_files.h"

#include <cmocka.h>
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* The reader may be a child process, so this process reads nothing. */
static void reports_a_truncated_file(void **state) {
    (void)state;
    char path[] = "/tmp/module_file.XXXXXX";
    struct module_files files;
    struct reason why;
    int from = open("/proc/self/exe", O_RDONLY), to = mkstemp(path);
    struct stat status;
    assert_int_equal(fstat(from, &status), 0);
    assert_int_equal(sendfile(to, from, NULL, (size_t)status.st_size), status.st_size);
    for (int is_cut = 0; is_cut < 2; is_cut++) {
        module_files_open(&files, path, NULL, &(struct module_search){.stays_local = true});
        assert_true(files.module.is_open);
        assert_int_equal(is_cut ? ftruncate(to, 4096) : 0, 0);
        assert_int_equal(module_files_close(&files, &why), !is_cut);
    }
    assert_string_equal(why.text, "was truncated while it was read");
    unlink(path);
    close(from);
    close(to);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(build_ids),
        cmocka_unit_test(reports_a_truncated_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
