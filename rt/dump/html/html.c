/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Assembles the page, and collects the source around sites. */
#include "dump/html/html.h"

#include "base/arrays.h"
#include "base/path.h"
#include "dump/base/files.h"
#include "dump/base/memory.h"
#include "dump/view/views.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

/* ---- The source around sites. */

/* The page's style and script, which embed.cmake makes from page.css and script/. */
extern const char html_style[], html_script[]; /* not NUL-terminated */
extern const size_t html_style_size, html_script_size;
/* In the form of a Content-Security-Policy: "sha256-..." */
extern const char html_style_hash[], html_script_hash[];

/* Lines before and after each site, and the characters kept of a line. */
enum { AROUND = 4, LONGEST = 300 };

/* Larger files are not human-readable source. */
#define LARGEST ((size_t)16 << 20)

/* By file, then by line. */
static int compare_places(const void *a, const void *b, void *context) {
    const struct place *left = *(const struct place *const *)a, *right = *(const struct place *const *)b;
    (void)context;
    return strcmp(left->file, right->file) ?: compare_u64(left->line, right->line);
}

/* Copies the line, because JSON strings need a NUL. */
static void put_line(struct json *json, uint64_t number, const char *line, size_t length) {
    char text[LONGEST + 1];
    size_t kept = length < LONGEST ? length : LONGEST;
    memcpy(text, line, kept);
    text[kept] = '\0';
    json_number(json, NULL, number);
    pack_string(json, NULL, text);
}

/* Writes the lines of a file that are near one of the locations, each after its number. */
static void put_lines(struct json *json, const char *text, size_t size, const struct place **places,
                      size_t count) {
    const char *end = text + size;
    size_t next = 0;
    for (uint64_t number = 1; text < end && next < count; number++) {
        const char *newline = memchr(text, '\n', (size_t)(end - text)) ?: end;
        while (next < count && places[next]->line + AROUND < number)
            next++;
        if (next < count && number + AROUND >= places[next]->line)
            put_line(json, number, text, (size_t)(newline - text));
        text = newline + 1;
    }
}

static void put_file(struct json *json, struct pack_tables *tables, const struct place **places,
                     size_t count) {
    struct file_map map;
    struct reason why;
    if (!file_map(&map, places[0]->file, &why))
        return;
    if (map.size <= LARGEST) {
        json_open(json, NULL, '[');
        json_number(json, NULL, pack_text(tables, places[0]->file));
        put_lines(json, map.bytes, map.size, places, count);
        json_close(json, ']');
    }
    file_unmap(&map, &why);
}

static size_t collect_places(const struct place **places, const struct report *report) {
    size_t count = 0;
    for (size_t i = 0; i < report->shown; i++) {
        const struct place *at = &report->sites[i]->view.at;
        if (at->file && at->line)
            places[count++] = at;
    }
    qsort_r(places, count, sizeof *places, compare_places, NULL);
    return count;
}

/* Looks for files at the paths in the report. */
void pack_source(struct json *json, struct pack_tables *tables, const struct report *report) {
    const struct place **places = memory_zeros(report->shown, sizeof *places);
    size_t count = collect_places(places, report);
    json_open_line(json, "source", '[');
    for (size_t from = 0, end; from < count; from = end) {
        for (end = from; end < count && strcmp(places[end]->file, places[from]->file) == 0;)
            end++;
        put_file(json, tables, places + from, end - from);
    }
    json_close(json, ']');
    free(places);
}

/* ---- The whole file. */

/* ---- The page's data: gzip in base64. */

enum { PIECE = 3 << 14 }; /* a multiple of three bytes */

struct packing {
    struct out *out;
    z_stream stream;
    unsigned char packed[PIECE];
    char data[1 << 16];
};

static void put_base64(struct out *out, const unsigned char *bytes, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        uint32_t group = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? bytes[i + 2] : 0);
        char text[4] = {digits[group >> 18], digits[group >> 12 & 63], digits[group >> 6 & 63],
                        digits[group & 63]};
        if (left < 3)
            text[3] = '=';
        if (left < 2)
            text[2] = '=';
        out_bytes(out, text, sizeof text);
    }
}

static void write_piece(struct packing *packing) {
    put_base64(packing->out, packing->packed, sizeof packing->packed - packing->stream.avail_out);
    packing->stream.next_out = packing->packed;
    packing->stream.avail_out = sizeof packing->packed;
}

/* Writes a piece when it is full, so only the last one may end with an incomplete group. */
static void deflate_piece(struct packing *packing, size_t size, int flush) {
    z_stream *stream = &packing->stream;
    stream->next_in = (Bytef *)packing->data;
    stream->avail_in = (uInt)size;
    for (int result = Z_OK; stream->avail_in || (flush == Z_FINISH && result != Z_STREAM_END);) {
        if (!stream->avail_out)
            write_piece(packing);
        result = deflate(stream, flush);
    }
}

/* Uses the fastest level: the slowest one saves a tenth and takes three times as long. */
static void pack_file(struct packing *packing, int fd) {
    memory_need(deflateInit2(&packing->stream, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK
                    ? packing
                    : NULL);
    packing->stream.next_out = packing->packed;
    packing->stream.avail_out = sizeof packing->packed;
    ssize_t size = 0;
    for (off_t at = 0; (size = pread(fd, packing->data, sizeof packing->data, at)) > 0; at += size)
        deflate_piece(packing, (size_t)size, Z_NO_FLUSH);
    deflate_piece(packing, 0, Z_FINISH);
    write_piece(packing);
    deflateEnd(&packing->stream);
    if (size < 0)
        packing->out->error = errno;
}

/* The writer of the data needs a file. */
static void put_data(struct out *out, const struct html *html) {
    struct packing *packing = memory_zeros(1, sizeof *packing);
    struct out data;
    int fd = memfd_create("page", MFD_CLOEXEC);
    packing->out = out;
    out_open(&data, fd, packing->data, sizeof packing->data);
    if (fd >= 0)
        pack_write(&data, html);
    int error = fd < 0 ? errno : out_flush(&data);
    if (error)
        out->error = error;
    else
        pack_file(packing, fd);
    close(fd);
    free(packing);
}

/* ---- The parts around the data. */

void html_text(struct out *out, const char *text) {
    static const char special[] = "<>&\"";
    static const char *const entities[] = {"&lt;", "&gt;", "&amp;", "&quot;"};
    while (*text) {
        const char *found = strchr(special, *text);
        if (found)
            out_text(out, entities[found - special]);
        text += found ? 1 : out_plain_character(out, text);
    }
}

static void put_title(struct out *out, const struct report *report) {
    out_text(out, "<title>");
    html_text(out, path_base(report->program));
    out_text(out, " \xC2\xB7 allocsite</title>\n");
}

static void put_policy(struct out *out) {
    out_text(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src '");
    out_text(out, html_style_hash);
    out_text(out, "'; script-src '");
    out_text(out, html_script_hash);
    out_text(out, "'; base-uri 'none'; form-action 'none'\">\n");
}

/* The policy's hash covers every byte between the tags. */
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
    html_table(out, html->report, html->is_by_stack);
    out_text(out, "<script type=\"application/gzip\" id=\"data\">");
    put_data(out, html);
    out_text(out, "</script>\n");
    put_inline(out, "<script type=\"module\">", html_script, html_script_size, "</script>\n");
    out_text(out, "</body>\n</html>\n");
}

/* The page has all rows, because its script groups and filters them. */
int show_page(const char *path, struct report *report, struct showing *showing) {
    const struct report_limits everything = {.top = 0};
    struct groups *threads = &showing->threads, *phases = &showing->phases;
    const struct html page = {.report = report,
                              .symbolizer = &showing->symbolizer,
                              .threads = report->has_parts ? threads : NULL,
                              .phases = report->has_parts ? phases : NULL,
                              .moment = showing->moment,
                              .has_source = showing->has_source};
    if (!view_prepare(path, report, showing))
        return STATUS_FAILED;
    groups_add_parts(threads, report);
    groups_add_parts(phases, report);
    groups_prepare(threads, &everything);
    groups_prepare(phases, &everything);
    html_write(standard_out(), &page);
    return standard_out_end() | view_check_asked(path, report);
}
