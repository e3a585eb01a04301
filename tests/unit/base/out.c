/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The buffered writer: buffers of every size, JSON strings, errors.
#include "base/out.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Returns the output of a function through a buffer of the given size. */
static const char *written(void (*write_something)(struct out *), size_t size) {
    static char text[4096];
    char buffer[64];
    struct out out;
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    out_open(&out, pipes[1], buffer, size);
    write_something(&out);
    assert_int_equal(out_flush(&out), 0);
    close(pipes[1]);
    ssize_t n = read(pipes[0], text, sizeof text - 1);
    close(pipes[0]);
    assert_true(n >= 0);
    text[n] = '\0';
    return text;
}

static void something(struct out *out) {
    out_text(out, "text ");
    out_char(out, 'c');
    out_bytes(out, " bytes", 6);
    out_char(out, ' ');
    out_u64(out, 0);
    out_char(out, ' ');
    out_u64(out, UINT64_MAX);
    out_char(out, ' ');
    out_hex16(out, 0xabcdef);
}

static void every_buffer_size(void **state) {
    (void)state;
    for (size_t size = 1; size <= 64; size++)
        assert_string_equal(written(something, size), "text c bytes 0 18446744073709551615 0000000000abcdef");
}

static void json_strings(struct out *out) {
    out_json_string(out, NULL);
    out_json_string(out, "");
    out_json_string(out, "a\"b\\c\n\x7f");
    out_json_string(out, "\xC2\x9B|\xE2\x80\xAE|\xE2\x80\xA8"); /* control characters of terminals */
    out_json_string(out, "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80");
    out_json_string(out, "\xFF\xC0\xAF\xE2\x82");          /* invalid lead byte, overlong, truncated */
    out_json_string(out, "\xED\xA0\x80\xF4\x90\x80\x80z"); /* a surrogate, above U+10FFFF */
}

#define BAD "\xEF\xBF\xBD"

static void json(void **state) {
    (void)state;
    assert_string_equal(written(json_strings, 64),
                        "null\"\"\"a\\\"b\\\\c\\u000a\\u007f\"\"\\u009b|\\u202e|"
                        "\\u2028\"\"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\""
                        "\"" BAD BAD BAD BAD BAD "\"\"" BAD BAD BAD BAD BAD BAD BAD "z\"");
}

static void plain_texts(struct out *out) {
    out_plain(out, "a\x1b[31m\x07\x7f");
    out_plain(out, "|\xC2\x9B"
                   "31m|\xC2\xA0|\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80");
    out_plain(out, "|\xE2\x80\xA8|\xE2\x80\xA9|\xD8\x9C|\xE2\x80\x8E|\xE2\x80\xAE|\xE2\x81\xA6|\xE2\x81\xA9|"
                   "\xE2\x81\xAA");
    out_plain(out, "|\xFF");
}

/* Names cannot change a terminal's colours or the direction of text. */
static void plain(void **state) {
    (void)state;
    assert_string_equal(
        written(plain_texts, 64),
        "a?[31m??|?31m|\xC2\xA0|\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80|?|?|?|?|?|?|?|\xE2\x81\xAA|?");
}

static void the_first_error_stays(void **state) {
    (void)state;
    char buffer[2];
    struct out out;
    int full = open("/dev/full", O_WRONLY);
    assert_true(full >= 0);
    out_open(&out, full, buffer, sizeof buffer);
    out_text(&out, "more than the buffer holds");
    assert_int_equal(out_flush(&out), ENOSPC);
    close(full);
    out_text(&out, "and this is dropped");
    assert_int_equal(out_flush(&out), ENOSPC);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_buffer_size),
        cmocka_unit_test(json),
        cmocka_unit_test(plain),
        cmocka_unit_test(the_first_error_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
