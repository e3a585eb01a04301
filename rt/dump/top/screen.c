/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shows a running program on a terminal. The only file that includes curses. */
#include "dump/base/terminal.h"
#include "dump/top/top.h"
#include "names/names.h"

#include <curses.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ESCAPE = 27, ERASE = 127, CONTROL_L = 12 };

struct screen {
    struct top *top;
    struct top_view view;
    unsigned interval;
    uint64_t left; /* remaining refreshes; 0: no limit */
    struct timespec next;
    size_t first;   /* row at the top */
    size_t cursor;  /* chosen row */
    size_t skipped; /* lines of the details that are above the screen */
    bool is_paused, is_typing, is_helping, is_done, ends;
    char typed[TOP_FILTER_SIZE];
    bool has_trouble; /* the last refresh failed */
    struct reason trouble;
};

static const struct key {
    const char *name, *help;
} keys[] = {
    {"arrows, Page Up, Page Down, Home, End", "choose a row, scroll"},
    {"Enter", "callers, sizes and frees of the row; Enter or Escape: back"},
    {"b a l p", "sort by bytes, allocs, live, peak"},
    {"r", "sort by the rate of bytes"},
    {"R", "reset: count calls and bytes from now on; the program does not notice"},
    {"/", "only rows that contain the text typed next; empty: all rows"},
    {"space", "pause; the program continues"},
    {"?", "help"},
    {"q", "quit"},
};

/* At the bottom of the screen. */
static const char help_line[] =
    "Enter details  b a l p r sort  / filter  R reset  space pause  ? help  q quit";

/* On terminals that would cut the names, each name gets a separate line while there are free lines. */
enum { TALL_COLUMNS = 140, TALL_LINES = 4 };

/* The lines of the screen for rows or details. */
static size_t body_lines(void) {
    return LINES > TOP_HEAD_LINES + 3 ? (size_t)(LINES - TOP_HEAD_LINES - 3) : 1;
}

static size_t lines_of_row(const struct screen *screen) {
    size_t lines = screen->top->count ? body_lines() / screen->top->count : 1;
    return lines < 2 || COLS >= TALL_COLUMNS ? 1 : lines < TALL_LINES ? lines : TALL_LINES;
}

static size_t rows_shown(const struct screen *screen) {
    return body_lines() / lines_of_row(screen);
}

/* Writes a line, cut at the edge of the screen. Returns the number of its bytes. */
static size_t put_one(int row, const char *text, size_t size) {
    size_t i = 0;
    move(row, 0);
    for (int columns = 0; i < size && text[i] != '\n'; columns++) {
        size_t length = utf8_length(text + i) ?: 1;
        if (columns < COLS)
            addnstr(text + i, (int)length);
        i += length;
    }
    clrtoeol();
    return i;
}

/* Writes at most that many of the lines after the skipped ones. Returns the number written. */
static size_t put_lines(int row, struct out *lines, size_t skipped, size_t most) {
    size_t count = 0;
    for (size_t at = 0; at <= lines->used && count < most + skipped; count++) {
        const char *end = memchr(lines->data + at, '\n', lines->used - at);
        if (count >= skipped)
            put_one(row + (int)(count - skipped), lines->data + at, lines->used - at);
        at = end ? (size_t)(end - lines->data) + 1 : lines->used + 1;
    }
    lines->used = 0;
    return count > skipped ? count - skipped : 0;
}

static void put_line(int row, struct out *line) {
    put_lines(row, line, 0, 1);
}

static void put_status(const struct screen *screen, struct out *line) {
    out_text(line, "sorted by ");
    out_text(line, screen->view.sort == TOP_BY_RATE ? "rate" : measure_name(screen->view.sort));
    if (screen->view.filter[0]) {
        out_text(line, "; only with ");
        out_plain(line, screen->view.filter);
    }
    if (screen->is_paused)
        out_text(line, "; paused");
    if (screen->has_trouble) {
        out_text(line, "; the last state: the file ");
        out_plain(line, screen->trouble.text);
    }
}

static void draw_prompt(const struct screen *screen, int row, struct out *line) {
    if (screen->is_typing) {
        out_text(line, "filter: ");
        out_plain(line, screen->typed);
    } else
        put_status(screen, line);
    put_line(row, line);
}

static void draw_help(int row, struct out *line) {
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        out_print(line, "%s: %s", keys[i].name, keys[i].help);
        put_line(row + (int)i, line);
    }
}

static void draw_rows(const struct screen *screen, int row, struct out *line) {
    attron(A_REVERSE);
    top_columns_line(line, screen->top);
    put_line(row, line);
    attroff(A_REVERSE);
    size_t most = lines_of_row(screen), last = screen->first + rows_shown(screen);
    row++;
    for (size_t i = screen->first; i < screen->top->count && i < last; i++) {
        top_row_line(line, screen->top, &screen->top->rows[i]);
        size_t lines = put_lines(row, line, 0, most);
        if (i == screen->cursor)
            mvchgat(row, 0, -1, A_REVERSE, 0, NULL);
        row += (int)lines;
    }
    if (!screen->top->count) {
        out_text(line,
                 screen->view.filter[0] ? "no row contains the filter's text" : "nothing was allocated");
        put_line(row, line);
    }
}

/* Scrolls no further than to the last line. */
static void draw_details(struct screen *screen, int row, struct out *lines) {
    size_t count = 0;
    top_details(lines, screen->top);
    for (size_t i = 0; i < lines->used; i++)
        count += lines->data[i] == '\n';
    if (screen->skipped > count)
        screen->skipped = count;
    put_lines(row, lines, screen->skipped, body_lines() + 1);
}

static void draw_screen(struct screen *screen) {
    /* longer than any line */
    static char buffer[1 << 15];
    struct out line;
    out_open(&line, -1, buffer, sizeof buffer);
    erase();
    for (int row = 0; row < TOP_HEAD_LINES; row++) {
        top_head_line(&line, screen->top, row);
        put_line(row, &line);
    }
    draw_prompt(screen, TOP_HEAD_LINES, &line);
    out_text(&line,
             screen->top->opened ? "Enter back  arrows scroll  space pause  ? help  q quit" : help_line);
    put_line(LINES - 1, &line);
    if (screen->is_helping)
        draw_help(TOP_HEAD_LINES + 1, &line);
    else if (screen->top->opened)
        draw_details(screen, TOP_HEAD_LINES + 1, &line);
    else
        draw_rows(screen, TOP_HEAD_LINES + 1, &line);
    if (screen->is_typing)
        move(TOP_HEAD_LINES, (int)(strlen("filter: ") + strlen(screen->typed)));
    refresh();
}

/* Removes the last UTF-8 character. */
static void erase_last(char *text) {
    size_t length = strlen(text);
    while (length && (text[--length] & 0xC0) == 0x80)
        ;
    text[length] = '\0';
}

static void choose_filter(struct screen *screen, int key) {
    size_t length = strlen(screen->typed);
    if (key == '\n' || key == '\r' || key == KEY_ENTER) {
        strcpy(screen->view.filter, screen->typed);
        screen->first = screen->cursor = 0;
        screen->is_typing = false;
    } else if (key == ESCAPE)
        screen->is_typing = false;
    else if (key == KEY_BACKSPACE || key == ERASE || key == '\b')
        erase_last(screen->typed);
    else if (key >= ' ' && key <= 0xFF && length + 1 < sizeof screen->typed) {
        screen->typed[length] = (char)key;
        screen->typed[length + 1] = '\0';
    }
}

static size_t moved_by(size_t from, long by) {
    return by < 0 && (size_t)-by > from ? 0 : from + (size_t)by;
}

/* Moves the cursor, and the rows shown along with it; or the details. */
static void scroll_by(struct screen *screen, long by) {
    size_t last = screen->top->count ? screen->top->count - 1 : 0, shown = rows_shown(screen);
    if (screen->top->opened) {
        screen->skipped = moved_by(screen->skipped, by);
        return;
    }
    screen->cursor = moved_by(screen->cursor, by);
    if (screen->cursor > last)
        screen->cursor = last;
    if (screen->first > screen->cursor)
        screen->first = screen->cursor;
    if (screen->cursor >= screen->first + shown)
        screen->first = screen->cursor - shown + 1;
}

static void open_or_close(struct screen *screen) {
    const struct top *top = screen->top;
    screen->skipped = 0;
    if (top->opened)
        screen->top->opened = NULL;
    else if (screen->cursor < top->count)
        top_open(screen->top, &top->rows[screen->cursor]);
}

static bool choose_sort(struct screen *screen, int key) {
    static const char letters[] = {[MEASURE_BYTES] = 'b',
                                   [MEASURE_ALLOCS] = 'a',
                                   [MEASURE_LIVE] = 'l',
                                   [MEASURE_PEAK] = 'p',
                                   [TOP_BY_RATE] = 'r'};
    const char *letter = key > 0 && key < 128 ? memchr(letters, key, sizeof letters) : NULL;
    if (letter)
        screen->view.sort = (enum measure)(letter - letters);
    return letter != NULL;
}

static bool choose_rows(struct screen *screen, int key) {
    long all = (long)screen->top->count, page = (long)rows_shown(screen);
    switch (key) {
    case KEY_UP:
        scroll_by(screen, -1);
        return true;
    case KEY_DOWN:
        scroll_by(screen, 1);
        return true;
    case KEY_PPAGE:
        scroll_by(screen, -page);
        return true;
    case KEY_NPAGE:
        scroll_by(screen, page);
        return true;
    case KEY_HOME:
        scroll_by(screen, -all);
        return true;
    case KEY_END:
        scroll_by(screen, all);
        return true;
    case KEY_ENTER:
    case '\n':
    case '\r':
        open_or_close(screen);
        return true;
    default:
        return false;
    }
}

static void handle_key(struct screen *screen, int key) {
    if (screen->is_typing) {
        choose_filter(screen, key);
        return;
    }
    screen->is_helping = key == '?' && !screen->is_helping;
    if (choose_sort(screen, key) || choose_rows(screen, key))
        return;
    if (key == 'q')
        screen->is_done = true;
    else if (key == ESCAPE && screen->top->opened)
        open_or_close(screen);
    else if (key == 'R')
        top_reset(screen->top);
    else if (key == ' ')
        screen->is_paused = !screen->is_paused;
    else if (key == CONTROL_L)
        clearok(stdscr, TRUE);
    else if (key == '/') {
        screen->is_typing = true;
        screen->typed[0] = '\0';
    }
}

static long milliseconds_until(const struct timespec *time) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long)(time->tv_sec - now.tv_sec) * 1000 + (time->tv_nsec - now.tv_nsec) / 1000000;
}

static void set_next(struct screen *screen) {
    clock_gettime(CLOCK_MONOTONIC, &screen->next);
    screen->next.tv_sec += screen->interval / 1000;
    screen->next.tv_nsec += (long)(screen->interval % 1000) * 1000000;
}

/* Keeps the last state when nothing more can be read. */
static void refresh_data(struct screen *screen) {
    screen->has_trouble = !top_refresh(screen->top, &screen->trouble);
    if (!screen->has_trouble && screen->left && --screen->left == 0)
        screen->is_done = true;
    set_next(screen);
}

static void run_screen(struct screen *screen) {
    while (!screen->is_done) {
        top_select(screen->top, &screen->view);
        screen->top->lines_of_row = lines_of_row(screen);
        scroll_by(screen, 0);
        draw_screen(screen);
        bool is_still = screen->is_paused || top_is_over(screen->top);
        long wait = is_still ? -1 : milliseconds_until(&screen->next);
        timeout(is_still ? -1 : wait > 0 ? (int)wait : 0);
        int key = getch();
        if (key != ERR)
            handle_key(screen, key);
        if (!is_still && milliseconds_until(&screen->next) <= 0)
            refresh_data(screen);
        if (screen->ends && top_is_over(screen->top))
            return;
        /* a closed terminal returns ERR at once */
        if (key == ERR && !isatty(STDIN_FILENO))
            return;
    }
}

static bool open_screen(void) {
    SCREEN *screen = newterm(NULL, stdout, stdin);
    if (!screen || tigetstr("cup"))
        return screen != NULL;
    endwin();
    delscreen(screen);
    return false;
}

/* Restores the terminal if the process exits early, for example without memory. */
static void close_screen(void) {
    if (!isendwin())
        endwin();
}

int top_screen(struct top *top, const struct top_options *options) {
    struct screen screen = {
        .top = top, .view = options->view, .interval = options->interval, .ends = options->ends};
    screen.left = options->count ? options->count - 1 : 0;
    screen.is_done = options->count == 1;
    setlocale(LC_CTYPE, "");
    if (!open_screen()) {
        return complain_file("standard output",
                             "is an unknown terminal, or one without a movable cursor; use --plain");
    }
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    set_escdelay(25);
    set_next(&screen);
    atexit(close_screen);
    run_screen(&screen);
    endwin();
    return STATUS_DONE;
}
