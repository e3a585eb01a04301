/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Unwind tables: the row for an instruction, and errors for damaged tables.
#include "walk_tables.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void assert_cfa(const struct cfi_row *row, int base, int value) {
    assert_int_equal(row->cfa.kind, CFI_IS);
    assert_int_equal(row->cfa.base, base);
    assert_int_equal(row->cfa.value, value);
}

static void assert_rule(const struct cfi_row *row, int number, int kind, int value) {
    assert_int_equal(row->registers[number].kind, kind);
    assert_int_equal(row->registers[number].value, value);
}

// push %rbp; mov %rsp, %rbp
static void the_row_is_that_of_the_instruction(void **state) {
    (void)state;
    struct image image;
    struct cfi_row row;
    image_of(&image, PROGRAM(0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6));
    assert_true(find(&image, 0, &row));
    assert_cfa(&row, CFI_RSP, 8);
    assert_rule(&row, CFI_RBP, CFI_SAME, 0);
    assert_rule(&row, CFI_RETURN, CFI_AT, -8);
    assert_false(row.is_signal_frame);
    for (uint32_t at = 1; at < 4; at++) {
        assert_true(find(&image, at, &row));
        assert_cfa(&row, CFI_RSP, 16);
        assert_rule(&row, CFI_RBP, CFI_AT, -16);
    }
    assert_true(find(&image, 4, &row));
    assert_cfa(&row, CFI_RBP, 16);
    assert_true(find(&image, 99, &row));
    assert_cfa(&row, CFI_RBP, 16);
}

static void functions_are_found_by_their_range(void **state) {
    (void)state;
    struct image image;
    struct cfi_row row;
    image_begin(&image);
    for (uint32_t i = 0; i < FUNCTIONS_MOST; i++)
        image_add(&image, 100 + i * 100, 50, PROGRAM(0x0e, (uint8_t)(16 + 8 * i)));
    put_number(&image, 0, 4);
    for (int searched = 1; searched >= 0; searched--) {
        for (uint32_t at = 0; at < 600; at++) {
            bool inside = at >= 100 && at < 100 + FUNCTIONS_MOST * 100 && at % 100 < 50;
            assert_int_equal(find(&image, at, &row), inside);
            if (inside)
                assert_cfa(&row, CFI_RSP, (int)(16 + 8 * (at / 100 - 1)));
        }
        image.bytes[3] = 0xff; // no search table
    }
}

static void rows_are_remembered(void **state) {
    (void)state;
    struct image image;
    struct cfi_row row;
    image_of(&image, PROGRAM(0x41, 0x0e, 32, 0x83, 3, 0x0a, 0x41, 0x0e, 8, 0xc3, 0x41, 0x0b));
    assert_true(find(&image, 2, &row));
    assert_cfa(&row, CFI_RSP, 8);
    assert_rule(&row, CFI_RBX, CFI_SAME, 0);
    assert_true(find(&image, 3, &row));
    assert_cfa(&row, CFI_RSP, 32);
    assert_rule(&row, CFI_RBX, CFI_AT, -24);
}

// DW_CFA_restore returns to the rules of the common entry.
static void changed_rules_are_restored(void **state) {
    (void)state;
    struct image image;
    struct cfi_row row;
    image_of(&image, PROGRAM(0x07, 16, 0x41, 0xd0));
    assert_true(find(&image, 0, &row));
    assert_rule(&row, CFI_RETURN, CFI_UNDEFINED, 0);
    assert_true(find(&image, 1, &row));
    assert_rule(&row, CFI_RETURN, CFI_AT, -8);
}

static void unsaved_rules_are_not_restored(void **state) {
    (void)state;
    struct image image;
    struct cfi_row row;
    image_of(&image, PROGRAM(0x0b));
    assert_false(find(&image, 0, &row));
    image_of(&image, PROGRAM(0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a));
    assert_false(find(&image, 0, &row));
}

static void all_ways_to_save_a_register(void **state) {
    (void)state;
    struct image image;
    struct cfi_row row;
    image_of(&image, PROGRAM(0x05, 3, 4, 0x07, 6, 0x09, 12, 13, 0x11, 13, 0x7c, 0x14, 14, 2, 0x15, 15, 0x7d));
    assert_true(find(&image, 0, &row));
    assert_rule(&row, 3, CFI_AT, -32);
    assert_rule(&row, 6, CFI_UNDEFINED, 0);
    assert_rule(&row, 12, CFI_REGISTER, 13);
    assert_rule(&row, 13, CFI_AT, 32);
    assert_rule(&row, 14, CFI_IS, -16);
    assert_rule(&row, 15, CFI_IS, 24);
    image_of(&image, PROGRAM(0x2f, 3, 4, 0x83, 5, 0x06, 3, 0x08, 6, 0x10, 12, 2, 0x77, 8, 0x16, 13, 1, 0x31));
    assert_true(find(&image, 0, &row));
    assert_rule(&row, 3, CFI_SAME, 0);
    assert_int_equal(row.registers[12].kind, CFI_AT_EXPRESSION);
    assert_int_equal(row.registers[13].kind, CFI_IS_EXPRESSION);
    assert_int_equal(image.bytes[row.registers[12].value], 2);
    assert_int_equal(image.bytes[row.registers[13].value], 1);
}

static void every_rule_for_the_frame(void **state) {
    (void)state;
    struct image image;
    struct cfi_row row;
    image_of(&image, PROGRAM(0x12, 6, 0x7e, 0x41, 0x13, 0x7d, 0x41, 0x0f, 2, 0x76, 8));
    assert_true(find(&image, 0, &row));
    assert_cfa(&row, CFI_RBP, 16);
    assert_true(find(&image, 1, &row));
    assert_cfa(&row, CFI_RBP, 24);
    assert_true(find(&image, 2, &row));
    assert_int_equal(row.cfa.kind, CFI_IS_EXPRESSION);
    image_of(&image, PROGRAM(0x0c, 17, 8));
    assert_false(find(&image, 0, &row));
}

static void registers_of_no_interest_are_passed_over(void **state) {
    (void)state;
    struct image image;
    struct cfi_row row;
    image_of(&image, PROGRAM(0x92, 4, 0x05, 0xff, 0x7f, 4, 0xd2, 0x2e, 0x90, 0x01, 0x0e, 24));
    assert_true(find(&image, 0, &row));
    assert_cfa(&row, CFI_RSP, 24);
}

static void locations_advance(void **state) {
    (void)state;
    struct image image;
    struct cfi_row row;
    image_begin(&image);
    image_add(&image, 0, 0x20000,
              PROGRAM(0x02, 200, 0x0e, 16, 0x03, 0x00, 0x01, 0x0e, 24, 0x04, 0, 0, 1, 0, 0x0e, 32));
    static const struct {
        uint32_t at;
        int value;
    } expected[] = {{199, 8}, {200, 16}, {455, 16}, {456, 24}, {65991, 24}, {65992, 32}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_true(find(&image, expected[i].at, &row));
        assert_cfa(&row, CFI_RSP, expected[i].value);
    }
}

static void augmentations_are_read_or_passed_over(void **state) {
    (void)state;
    struct image image;
    struct cfi_row row;
    image_begin_as(&image, "zPLRS", PROGRAM(0x9b, 1, 2, 3, 4, 0x1b, 0x1b));
    image_add(&image, 0, 10, PROGRAM(0x0e, 16));
    assert_true(find(&image, 0, &row));
    assert_true(row.is_signal_frame);
    image_begin_as(&image, "zR?", PROGRAM(0x1b, 1, 2, 3));
    image_add(&image, 0, 10, PROGRAM(0x0e, 16));
    assert_true(find(&image, 0, &row));
    image_begin_as(&image, "eh", PROGRAM(0x1b));
    image_add(&image, 0, 10, PROGRAM(0x0e, 16));
    assert_false(find(&image, 0, &row));
    image_begin_as(&image, "zP", PROGRAM(0x50));
    image_add(&image, 0, 10, PROGRAM(0x0e, 16));
    assert_false(find(&image, 0, &row));
}

static void unknown_operations_give_no_row(void **state) {
    (void)state;
    struct image image;
    struct cfi_row row;
    image_of(&image, PROGRAM(0x41, 0x3f));
    assert_true(find(&image, 0, &row)); // instructions after the location are not executed
    assert_false(find(&image, 1, &row));
}

// Tables at the end of readable memory, cut at every byte: reading beyond them would fault.
static void cut_tables_are_not_read_past_the_end(void **state) {
    (void)state;
    struct image image;
    struct cfi_row row;
    size_t page = (size_t)getpagesize();
    char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    assert_int_equal(mprotect(memory + page, page, PROT_NONE), 0);
    image_begin(&image);
    image_add(&image, 0, 10, PROGRAM(0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x0f, 3, 0x77, 8, 6));
    for (size_t size = 0; size <= image.used; size++) {
        uintptr_t begin = (uintptr_t)(memory + page - size);
        memcpy((void *)begin, image.bytes, size);
        struct cfi_tables tables = {begin, begin + size, begin};
        uintptr_t function = begin + (code(&image, 0) - (uintptr_t)image.bytes);
        assert_int_equal(cfi_find(&tables, function + 9, &row), size == image.used);
    }
    munmap(memory, 2 * page);
}

static void changed_tables_are_not_read_past_the_end(void **state) {
    (void)state;
    struct image image, changed;
    struct cfi_row row;
    image_begin_as(&image, "zPLR", PROGRAM(0x9b, 1, 2, 3, 4, 0x1b, 0x1b));
    image_add(&image, 0, 10, PROGRAM(0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x0f, 3, 0x77, 8, 6));
    for (size_t at = 0; at < image.used; at++) {
        for (unsigned value = 0; value < 256; value++) {
            changed = image;
            changed.bytes[at] = (uint8_t)value;
            find(&changed, 9, &row);
        }
    }
}

// ---- expressions ----

static bool read_memory(void *context, uintptr_t address, uintptr_t *word) {
    uintptr_t *memory = context;
    if (address % 8 != 0 || address / 8 >= 4)
        return false;
    *word = memory[address / 8];
    return true;
}

static const uintptr_t memory_words[4] = {16, 100, 24, 7};

static bool evaluate(uintptr_t *result, const uintptr_t *cfa, const uint8_t *expression, size_t size) {
    uint8_t bytes[64] = {(uint8_t)size};
    uintptr_t registers[CFI_REGISTERS], begin = (uintptr_t)bytes;
    for (unsigned i = 0; i < CFI_REGISTERS; i++)
        registers[i] = 1000 * i;
    memcpy(bytes + 1, expression, size);
    struct cfi_tables tables = {begin, begin + 1 + size, begin};
    struct cfi_memory memory = {read_memory, (void *)memory_words};
    return cfi_evaluate(&tables, 0, registers, cfa, &memory, result);
}

static void expressions_have_a_result(void **state) {
    (void)state;
    uintptr_t result, cfa = 5000;
    assert_true(evaluate(&result, NULL, PROGRAM(0x77, 8)));
    assert_int_equal(result, 7008);
    assert_true(evaluate(&result, NULL, PROGRAM(0x76, 0x78)));
    assert_int_equal(result, 5992);
    assert_true(evaluate(&result, NULL, PROGRAM(0x38, 0x06)));
    assert_int_equal(result, 100);
    assert_true(evaluate(&result, &cfa, PROGRAM(0x23, 0x10)));
    assert_int_equal(result, 5016);
    assert_true(evaluate(&result, NULL, PROGRAM(0x0a, 0x34, 0x12, 0x09, 0xff, 0x22, 0x11, 0x7f, 0x1c)));
    assert_int_equal(result, 0x1234);
}

// rsp + 8 + ((rip & 15) >= 11) * 8: in the first instructions of a PLT entry nothing is pushed yet.
static void expression_of_a_procedure_linkage_table(void **state) {
    (void)state;
    uintptr_t result;
    assert_true(evaluate(&result, NULL, PROGRAM(0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22)));
    assert_int_equal(16000 % 16, 0);
    assert_int_equal(result, 7008);
    assert_true(
        evaluate(&result, NULL, PROGRAM(0x77, 8, 0x80, 12, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22)));
    assert_int_equal(result, 7016);
}

static void bad_expressions_have_none(void **state) {
    (void)state;
    uintptr_t result;
    uint8_t many[32];
    assert_false(evaluate(&result, NULL, PROGRAM(0x22)));
    assert_false(evaluate(&result, NULL, PROGRAM(0x06)));
    assert_false(evaluate(&result, NULL, PROGRAM(0x31, 0x22)));
    assert_false(evaluate(&result, NULL, PROGRAM(0x33, 0x06)));       // not aligned
    assert_false(evaluate(&result, NULL, PROGRAM(0x08, 0x40, 0x06))); // not readable
    assert_false(evaluate(&result, NULL, PROGRAM(0x0e, 1, 2)));       // cut
    assert_false(evaluate(&result, NULL, PROGRAM(0x31, 0xff)));       // unknown
    assert_false(evaluate(&result, NULL, many, 0));
    memset(many, 0x31, sizeof many);
    assert_false(evaluate(&result, NULL, many, sizeof many)); // too deep
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_row_is_that_of_the_instruction),
        cmocka_unit_test(functions_are_found_by_their_range),
        cmocka_unit_test(rows_are_remembered),
        cmocka_unit_test(changed_rules_are_restored),
        cmocka_unit_test(unsaved_rules_are_not_restored),
        cmocka_unit_test(all_ways_to_save_a_register),
        cmocka_unit_test(every_rule_for_the_frame),
        cmocka_unit_test(registers_of_no_interest_are_passed_over),
        cmocka_unit_test(locations_advance),
        cmocka_unit_test(augmentations_are_read_or_passed_over),
        cmocka_unit_test(unknown_operations_give_no_row),
        cmocka_unit_test(cut_tables_are_not_read_past_the_end),
        cmocka_unit_test(changed_tables_are_not_read_past_the_end),
        cmocka_unit_test(expressions_have_a_result),
        cmocka_unit_test(expression_of_a_procedure_linkage_table),
        cmocka_unit_test(bad_expressions_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
