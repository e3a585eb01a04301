/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The word that a mistyped one was meant to be. */
#include "base/similar.h"

#include <string.h>

enum { LENGTH_MOST = 31 };

static size_t least(size_t a, size_t b, size_t c) {
    size_t smaller = a < b ? a : b;
    return smaller < c ? smaller : c;
}

/* Of Damerau and Levenshtein; what was exchanged stays as it is. */
static size_t distance(const char *a, size_t length, const char *b, size_t other) {
    size_t rows[LENGTH_MOST + 1][LENGTH_MOST + 1];
    for (size_t i = 0; i <= length; i++)
        for (size_t j = 0; j <= other; j++) {
            if (!i || !j) {
                rows[i][j] = i + j;
                continue;
            }
            rows[i][j] =
                least(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                rows[i - 2][j - 2] < rows[i][j])
                rows[i][j] = rows[i - 2][j - 2] + 1;
        }
    return rows[length][other];
}

void similar_try(struct similar *similar, const char *known) {
    size_t length = strlen(known);
    if (similar->length > LENGTH_MOST || length > LENGTH_MOST)
        return;
    size_t away = distance(similar->word, similar->length, known, length);
    if (away > (length + 2) / 3 || away >= length || (similar->best && away >= similar->distance))
        return;
    similar->best = known;
    similar->distance = away;
}
