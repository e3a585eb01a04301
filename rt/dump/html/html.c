/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The file as a whole. */
#include "dump/html/html.h"

#include "dump/html/assets.h"
#include "dump/html/pack.h"

void html_text(struct out *out, const char *text) {
    for (; *text; text++)
        if (*text == '<')
            out_text(out, "&lt;");
        else if (*text == '>')
            out_text(out, "&gt;");
        else if (*text == '&')
            out_text(out, "&amp;");
        else if (*text == '"')
            out_text(out, "&quot;");
        else
            out_char(out, *text);
}

static const char *base_name(const char *path) {
    const char *end = path;
    for (const char *at = path; *at; at++)
        if (*at == '/' && at[1])
            end = at + 1;
    return end;
}

static void put_title(struct out *out, const struct report *report) {
    char name[512];
    struct out text;
    out_open_memory(&text, name, sizeof name);
    out_plain(&text, report->program ? base_name(report->program) : NULL);
    out_text(out, "<title>");
    html_text(out, name);
    out_text(out, " \xC2\xB7 allocsite</title>\n");
}

static void put_policy(struct out *out) {
    out_text(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src '");
    out_text(out, html_style_hash);
    out_text(out, "'; script-src '");
    out_text(out, html_script_hash);
    out_text(out, "'; base-uri 'none'; form-action 'none'\">\n");
}

/* The policy hashes every byte between the tags. */
static void put_inline(struct out *out, const char *open, const char *text, size_t size, const char *close) {
    out_text(out, open);
    out_bytes(out, text, size);
    out_text(out, close);
}

void html_write(struct out *out, const struct html *html) {
    out_text(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    put_policy(out);
    out_text(out, "<meta name=\"viewport\" content=\"width=device-width\">\n"
                  "<meta name=\"color-scheme\" content=\"light dark\">\n");
    put_title(out, html->report);
    put_inline(out, "<style>", html_style, html_style_size, "</style>\n");
    out_text(out, "</head>\n<body>\n");
    html_head(out, html->report, html->diff ? html->diff->old : NULL);
    out_text(out, "<main id=\"app\" hidden></main>\n");
    html_table(out, html->report);
    out_text(out, "<script type=\"application/gzip\" id=\"data\">");
    pack_write_packed(out, html);
    out_text(out, "</script>\n");
    put_inline(out, "<script type=\"module\">", html_script, html_script_size, "</script>\n");
    out_text(out, "</body>\n</html>\n");
}
