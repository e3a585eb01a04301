/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes untrusted text so that it stays text in each format. */
#include "base/out.h"

#include <string.h>

static size_t announced_length(unsigned char lead) {
    if (lead < 0x80)
        return 1;
    if (lead >= 0xC2 && lead <= 0xDF)
        return 2;
    if (lead >= 0xE0 && lead <= 0xEF)
        return 3;
    if (lead >= 0xF0 && lead <= 0xF4)
        return 4;
    return 0;
}

/* Overlong forms, surrogates and codes above U+10FFFF differ from valid ones in the second byte only. */
static int second_byte_fits(unsigned char lead, unsigned char second) {
    unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    return second >= low && second <= high;
}

size_t utf8_length(const char *s) {
    const unsigned char *bytes = (const unsigned char *)s;
    size_t length = announced_length(bytes[0]);
    if (length > 1 && !second_byte_fits(bytes[0], bytes[1]))
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
    return length;
}

static uint32_t code_of(const char *s, size_t length) {
    uint32_t code = (unsigned char)*s & (length == 1 ? 0x7F : 0x7F >> length);
    for (size_t i = 1; i < length; i++)
        code = code << 6 | ((unsigned char)s[i] & 0x3F);
    return code;
}

/* False for Cc, U+2028, U+2029 and Bidi_Control (Unicode's PropList.txt): all have four digits. */
static bool is_plain(uint32_t code) {
    bool is_control = code < 0x20 || (code >= 0x7F && code < 0xA0);
    bool is_direction = code == 0x61C || code == 0x200E || code == 0x200F ||
                        (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
    return !is_control && !is_direction && code != 0x2028 && code != 0x2029;
}

static void json_escaped(struct out *out, uint32_t code) {
    out_text(out, "\\u");
    for (int shift = 12; shift >= 0; shift -= 4)
        out_char(out, "0123456789abcdef"[code >> shift & 15]);
}

/* Returns the length of plain ASCII at s. Writing these characters one by one took half of an export's
 * time. */
static size_t simple_length(const char *s) {
    size_t length = 0;
    while (s[length] >= ' ' && s[length] < 0x7F && s[length] != '"' && s[length] != '\\')
        length++;
    return length;
}

static const char *put_simple(struct out *out, const char *s) {
    size_t length = simple_length(s);
    out_bytes(out, s, length);
    return s + length;
}

void out_json_string(struct out *out, const char *s) {
    if (!s) {
        out_text(out, "null");
        return;
    }
    out_char(out, '"');
    while (*(s = put_simple(out, s))) {
        size_t length = utf8_length(s);
        if (length == 0)
            out_text(out, "\xEF\xBF\xBD");
        else if (!is_plain(code_of(s, length)))
            json_escaped(out, code_of(s, length));
        else {
            if (*s == '"' || *s == '\\')
                out_char(out, '\\');
            out_bytes(out, s, length);
        }
        s += length ? length : 1;
    }
    out_char(out, '"');
}

size_t out_plain_character(struct out *out, const char *at) {
    size_t length = utf8_length(at);
    if (length == 0 || !is_plain(code_of(at, length)))
        out_char(out, '?');
    else
        out_bytes(out, at, length);
    return length ? length : 1;
}

void out_plain(struct out *out, const char *text) {
    for (text = put_simple(out, text ? text : "?"); *text; text = put_simple(out, text))
        text += out_plain_character(out, text);
}

/* ---- Markdown. */

/* Inside a code span a backquote would end it, and a bar would end the cell of a table. The table's bar is
 * escaped with a backslash, unless another backslash precedes it: readers disagree about which one escapes.
 */
static size_t put_code_character(struct out *out, const char *at, char before) {
    if (*at == '`' || (*at == '|' && before == '\\')) {
        out_char(out, *at == '`' ? '\'' : '?');
        return 1;
    }
    if (*at == '|')
        out_char(out, '\\');
    return out_plain_character(out, at);
}

void out_code_part(struct out *out, const char *text) {
    const char *at = text = text ? text : "?";
    while (*at)
        at += put_code_character(out, at, at > text ? at[-1] : '\0');
}

/* One backquote at each end. An empty text gets a space: two backquotes would open another span. */
void out_code(struct out *out, const char *text) {
    out_char(out, '`');
    out_code_part(out, text && !*text ? " " : text);
    out_char(out, '`');
}

/* ---- Fields of CSV and TSV. */

/* Returns whether spreadsheets take the text for a formula. The last four signs are full-width forms. Tabs
 * and line ends were replaced before. */
static bool begins_formula(const char *text) {
    static const char *const signs[] = {"=", "+", "-", "@", "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"};
    text += strspn(text, " ");
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strncmp(text, signs[i], strlen(signs[i])) == 0)
            return true;
    return false;
}

void out_field(struct out *out, const char *text) {
    out_text(out, begins_formula(text) ? "'" : "");
    out_plain(out, text);
}

void out_quoted_part(struct out *out, const char *text) {
    while (text && *text) {
        if (*text == '"')
            out_char(out, '"');
        text += out_plain_character(out, text);
    }
}

void out_quoted(struct out *out, const char *text) {
    out_text(out, text && begins_formula(text) ? "'" : "");
    out_quoted_part(out, text);
}

/* ---- Workflow commands of GitHub Actions, and URIs. */

void out_percent(struct out *out, char byte) {
    static const char digits[] = "0123456789ABCDEF";
    out_char(out, '%');
    out_char(out, digits[(unsigned char)byte >> 4]);
    out_char(out, digits[byte & 15]);
}

void out_command(struct out *out, const char *text, const char *special) {
    while (*text)
        if (strchr("%\r\n", *text) || strchr(special, *text))
            out_percent(out, *text++);
        else
            text += out_plain_character(out, text);
}
