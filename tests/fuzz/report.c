/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From the bytes of a report as JSON to its other forms, with everything shown. */
#include "exports.h"

#include "dump/html/html.h"
#include "dump/load/loaded.h"
#include "dump/load/source.h"
#include "write/formats.h"

#include <stdlib.h>
#include <string.h>

static void ignore(void *context, const struct report_breach *breach) {
    (void)context;
    if (!breach->law)
        abort();
}

/* The first byte of the file chooses what is asked for: it is the brace of the JSON, or white space. */
static struct report_limits limits_of(uint8_t choice) {
    return (struct report_limits){
        .sort = (enum report_sort)(choice % 4),
        .top = choice == '\n' ? 1 : 0,
        .leaks = choice == '\t',
        .pairs = true,
        .sizes = true,
    };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct report_file file;
    struct reason why;
    if (!size || !report_read(&file, (const char *)data, size, &why))
        return 0;
    struct out out = fuzz_out();
    struct symbolizer nothing = {.is_off = true};
    struct report_limits limits = limits_of(data[0]);
    report_prepare(&file.report, &limits);
    report_check(&file.report, ignore, NULL);
    for (int format = FORMAT_TEXT; format <= FORMAT_MARKDOWN; format++)
        report_write(&out, &file.report, (enum report_format)format);
    html_write(&out, &(struct html){.report = &file.report, .symbolizer = &nothing});
    fuzz_export(&file.report, NULL, (uint8_t)size);
    report_read_free(&file);
    return 0;
}
