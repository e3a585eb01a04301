/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The line below a table whose rows are mostly in the headers of one folder. That is probably a library which
 * the compiler was given with -I, so that it looks like the program's own code. */
#include "base/path.h"
#include "write/lines.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Comparing every two rows is slow for more, and the line is for the first look at a report. */
enum { ROWS_LEAST = 5, ROWS_MOST = 200 };

static bool is_header(const char *file) {
    static const char *const endings[] = {".h", ".hh", ".hpp", ".hxx", ".inl", ".ipp", ".tcc"};
    const char *ending = strrchr(path_base(file), '.');
    for (size_t i = 0; ending && i < sizeof endings / sizeof *endings; i++)
        if (strcmp(ending, endings[i]) == 0)
            return true;
    return false;
}

/* The length of the folder's path, without the slash at its end. */
static size_t folder_length(const char *file) {
    const char *base = path_base(file);
    return base > file ? (size_t)(base - file) - 1 : 0;
}

/* Returns the number of rows of instrumented code in headers below the folder; 0 if a source file is there,
 * too, because then the folder is the program's own. */
static size_t rows_below(const struct report *report, const char *folder, size_t length) {
    size_t count = 0;
    for (size_t i = 0; i < report->shown; i++) {
        const struct site_view *view = &report->sites[i]->view;
        const char *file = view->at.file;
        if (!view->sited || !file || strncmp(file, folder, length) != 0 || file[length] != '/')
            continue;
        if (!is_header(file))
            return 0;
        count++;
    }
    return count;
}

static void put_headers(const struct page *page, const char *file, size_t length, size_t count) {
    char folder[PATH_MAX];
    struct line line;
    snprintf(folder, sizeof folder, "%.*s", (int)length, file);
    line_begin(&line, page, 0, 2);
    out_print(line.page.out, "%s of %s%s in headers of ", COUNT_TEXT(count), COUNT_TEXT(page->report->shown),
              page->report->shown == 1 ? " row is" : " rows are");
    page_path(&line.page, folder);
    out_text(line.page.out, "; if that is a library, compile with -isystem instead of -I, or with "
                            "-fallocsite-library='*/");
    page_code(&line.page, path_base(folder));
    out_text(line.page.out, "/*', to see the lines that call it");
    line_end(&line);
    out_char(page->out, '\n');
}

void page_headers(const struct page *page) {
    const struct report *report = page->report;
    const char *folder = NULL;
    size_t length = 0, most = report->shown / 2;
    if (report->shown < ROWS_LEAST || report->shown > ROWS_MOST)
        return;
    for (size_t i = 0; i < report->shown; i++) {
        const struct site_view *view = &report->sites[i]->view;
        const char *file = view->at.file;
        size_t below = view->sited && file && is_header(file) ? folder_length(file) : 0;
        size_t count = below ? rows_below(report, file, below) : 0;
        if (count > most) {
            most = count;
            folder = file;
            length = below;
        }
    }
    if (folder)
        put_headers(page, folder, length, most);
}
