/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Comma-separated values. */
#include "csv.h"

void csv_text(struct out *out, const char *text) {
    if (!text)
        return;
    out_char(out, '"');
    for (; *text; text++) {
        if (*text == '"')
            out_char(out, '"');
        out_char(out, *text);
    }
    out_char(out, '"');
}
