/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "write/name_pieces.h"

#include "base/words.h"
#include "model/filter.h"
#include "names/demangled.h"

#include <stdlib.h>
#include <string.h>

struct name_piece {
    const char *begin;
    size_t length;
    bool is_shown;
};

struct name_pieces {
    size_t count;
    size_t widened; /* pieces that name_pieces_widen showed last on each side */
    struct name_piece list[];
};

/* The "<" of "operator<" is not a bracket. */
static size_t operator_length(const char *at) {
    static const char word[] = "operator";
    size_t length = strlen(word);
    if (strncmp(at, word, length) != 0 || demangled_is_word(at[length]))
        return 0;
    return strncmp(at + length, "()", 2) == 0 ? length + 2 : length + strspn(at + length, "<>=-[]*&,");
}

static size_t piece_length(const char *at) {
    size_t length = operator_length(at);
    if (!length)
        while (demangled_is_word(at[length]))
            length++;
    return length ? length : strncmp(at, "::", 2) == 0 || strncmp(at, ", ", 2) == 0 ? 2 : 1;
}

static void name_pieces_split(struct name_pieces *pieces, const char *name) {
    for (size_t length; *name; name += length) {
        length = piece_length(name);
        pieces->list[pieces->count++] = (struct name_piece){name, length, false};
    }
}

static bool is_piece(const struct name_piece *piece, const char *text) {
    return piece->length == strlen(text) && memcmp(piece->begin, text, piece->length) == 0;
}

static bool name_piece_opens(const struct name_piece *piece) {
    return is_piece(piece, "<") ||
           (is_piece(piece, "(") && strncmp(piece->begin, "(anonymous namespace)", 21) != 0);
}

static bool name_piece_closes(const struct name_piece *piece) {
    return is_piece(piece, ">") || is_piece(piece, ")");
}

static void show_outer(struct name_pieces *pieces, bool innermost) {
    size_t depth = 0, from = 0;
    for (size_t i = 0; i < pieces->count; i++) {
        struct name_piece *piece = &pieces->list[i];
        depth -= name_piece_closes(piece) && depth;
        piece->is_shown = depth == 0;
        if (innermost && depth == 0 && is_piece(piece, "::"))
            from = i;
        depth += name_piece_opens(piece);
    }
    for (size_t i = 0; i < from; i++)
        pieces->list[i].is_shown = false;
}

struct name_pieces *name_pieces_make(const char *name, bool innermost) {
    struct name_pieces *pieces = malloc(sizeof *pieces + (strlen(name) + 1) * sizeof *pieces->list);
    if (!pieces)
        return NULL;
    *pieces = (struct name_pieces){.count = 0};
    name_pieces_split(pieces, name);
    show_outer(pieces, innermost);
    return pieces;
}

/* Returns the first piece that the other name does not have in the same position, or the last piece. */
static size_t first_difference(const struct name_pieces *pieces, const char *other) {
    size_t at = 0;
    for (; at + 1 < pieces->count; at++) {
        const struct name_piece *piece = &pieces->list[at];
        if (strncmp(other, piece->begin, piece->length) != 0 || piece_length(other) != piece->length)
            break;
        other += piece->length;
    }
    return at;
}

/* Like first_difference, from the end. A word that is only the end of a longer word differs from it. */
static size_t last_difference(const struct name_pieces *pieces, const char *other) {
    size_t at = pieces->count - 1, left = strlen(other);
    for (; at; at--) {
        const struct name_piece *piece = &pieces->list[at];
        if (piece->length > left || memcmp(other + left - piece->length, piece->begin, piece->length) != 0)
            break;
        left -= piece->length;
        if (left && demangled_is_word(*piece->begin) && demangled_is_word(other[left - 1]))
            break;
    }
    return at;
}

static bool name_piece_show(struct name_pieces *pieces, size_t at) {
    bool is_new = at < pieces->count && !pieces->list[at].is_shown;
    if (is_new)
        pieces->list[at].is_shown = true;
    return is_new;
}

/* Shows the piece as an argument: "Key<int>". */
static void show_argument(struct name_pieces *pieces, size_t at) {
    if (at >= 2 && is_piece(&pieces->list[at - 1], "<") && demangled_is_word(*pieces->list[at - 2].begin)) {
        name_piece_show(pieces, at - 1);
        name_piece_show(pieces, at - 2);
    }
    if (at + 1 < pieces->count && name_piece_closes(&pieces->list[at + 1]))
        name_piece_show(pieces, at + 1);
}

/* Shows the nearest hidden pieces on both sides, at most `most` on each side. Returns whether there were
 * any. */
static bool show_around(struct name_pieces *pieces, size_t at, size_t most) {
    bool has_new = false;
    size_t left = most, right = most;
    for (size_t i = at; i-- > 0 && left;)
        if (name_piece_show(pieces, i)) {
            has_new = true;
            left--;
        }
    for (size_t i = at + 1; i < pieces->count && right; i++)
        if (name_piece_show(pieces, i)) {
            has_new = true;
            right--;
        }
    return has_new;
}

static bool show_difference(struct name_pieces *pieces, size_t at) {
    bool is_new = name_piece_show(pieces, at);
    if (is_new)
        show_argument(pieces, at);
    return is_new;
}

bool name_pieces_differ(struct name_pieces *pieces, const char *other) {
    return pieces->count && (show_difference(pieces, first_difference(pieces, other)) ||
                             show_difference(pieces, last_difference(pieces, other)));
}

bool name_pieces_widen(struct name_pieces *pieces, const char *other) {
    pieces->widened = 2 * pieces->widened + 1;
    return show_around(pieces, first_difference(pieces, other), pieces->widened);
}

/* Returns the end of a run of hidden pieces, or `at` if "..." would not be shorter than the run. */
static size_t gap_end(const struct name_pieces *pieces, size_t at) {
    size_t end = at, length = 0;
    for (; end < pieces->count && !pieces->list[end].is_shown; end++)
        length += pieces->list[end].length;
    return length > strlen("...") ? end : at;
}

char *name_pieces_join(const struct name_pieces *pieces) {
    size_t size = 1, used = 0;
    for (size_t i = 0; i < pieces->count; i++)
        size += pieces->list[i].length;
    char *text = malloc(size);
    for (size_t i = 0; text && i < pieces->count;) {
        size_t end = pieces->list[i].is_shown ? i : gap_end(pieces, i);
        const char *piece = end > i ? "..." : pieces->list[i].begin;
        size_t length = end > i ? strlen("...") : pieces->list[i].length;
        memcpy(text + used, piece, length);
        used += length;
        i = end > i ? end : i + 1;
    }
    if (text)
        text[used] = '\0';
    return text;
}

bool name_pieces_select(const char *text, const char *name, const char *whole) {
    return filter_is_function(text, name) || wildcard_match(text, whole);
}

size_t name_columns(const char *text) {
    size_t columns = 0;
    for (; *text; text++)
        columns += (*text & 0xC0) != 0x80;
    return columns;
}
