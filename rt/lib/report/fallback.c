/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The report if allocsite-dump cannot be started: the totals, and the sites with the most bytes. */
#include "lib/report/reader.h"

#include "base/out.h"
#include "lib/base/os.h"
#include "lib/base/state.h"
#include "lib/count/sums.h"
#include "lib/registry/descriptor.h"
#include "lib/registry/modules.h"
#include "lib/registry/registry.h"
#include "lib/store/store.h"

#include <errno.h>
#include <string.h>

enum { ROWS = 20 };

struct row {
    uint64_t bytes, allocs, live, peak;
    bool is_printed;
};

static void row_add(struct row *to, const struct counters *counters) {
    to->bytes += counters->alloc_bytes + counters->realloc_bytes;
    to->allocs += counters->allocs + counters->reallocs;
    to->live += counters->live_bytes;
    to->peak += counters->peak_bytes;
}

/* Counts of a call path are added to its site. */
static void rows_add(struct row *rows, uint32_t slots, struct row *total) {
    for (uint32_t slot = 1; slot < slots; slot++) {
        struct sum sum;
        struct counters counters;
        if (!record_at(slot) || !slot_is_in_totals(slot) || slot_row(slot) >= slots)
            continue;
        sum_slot(slot, &sum);
        sum_counters(&counters, &sum);
        row_add(&rows[slot_row(slot)], &counters);
        row_add(total, &counters);
    }
}

static uint32_t rows_largest(const struct row *rows, uint32_t slots) {
    uint32_t found = 0;
    for (uint32_t slot = 1; slot < slots; slot++)
        if (!rows[slot].is_printed && rows[slot].allocs && (!found || rows[slot].bytes > rows[found].bytes))
            found = slot;
    return found;
}

/* Writes "file:line function", or the module and the address in its file. */
static void write_site(struct out *out, const struct record *record) {
    if (!record->site) {
        out_plain(out, record->module->path);
        out_text(out, "+0x");
        out_hex(out, record->address);
        out_text(out, " ?");
        return;
    }
    struct place place = descriptor_at(record->site);
    out_plain(out, place.file);
    out_char(out, ':');
    out_u64(out, place.line);
    out_char(out, ' ');
    out_plain(out, place.function);
}

static void write_number(struct out *out, uint64_t number) {
    out_char(out, ' ');
    out_u64(out, number);
}

static void write_rows(struct out *out, struct row *rows, uint32_t slots) {
    out_text(out, "file:line function bytes allocs live peak\n");
    for (unsigned count = 0; count < ROWS; count++) {
        uint32_t slot = rows_largest(rows, slots);
        if (!slot)
            return;
        rows[slot].is_printed = true;
        write_site(out, record_at(slot));
        write_number(out, rows[slot].bytes);
        write_number(out, rows[slot].allocs);
        write_number(out, rows[slot].live);
        write_number(out, rows[slot].peak);
        out_char(out, '\n');
    }
}

static void write_head(struct out *out, const struct row *total, const char *why) {
    out_text(out, "allocsite: no full report, ");
    out_plain(out, why);
    out_text(out, "\nallocsite: ");
    out_plain(out, program_path());
    out_text(out, ", pid");
    write_number(out, (uint64_t)os_process());
    out_text(out, ": allocations");
    write_number(out, total->allocs);
    out_text(out, ", bytes");
    write_number(out, total->bytes);
    out_text(out, ", live bytes");
    write_number(out, total->live);
    out_text(out, ", peak bytes");
    write_number(out, total->peak);
    out_text(out, gaps_all() ? ", not exact\n" : "\n");
}

int fallback_write(int fd, const char *why) {
    char buffer[1024];
    struct out out;
    struct row total = {0};
    uint32_t slots = record_count();
    struct row *rows = os_map(slots * sizeof *rows, OS_FORK_KEEPS);
    if (!rows)
        return ENOMEM;
    struct os_writing before;
    os_writing_begin(&before);
    out_open(&out, fd, buffer, sizeof buffer);
    rows_add(rows, slots, &total);
    write_head(&out, &total, why);
    write_rows(&out, rows, slots);
    int error = out_flush(&out);
    os_writing_end(&before);
    os_unmap(rows, slots * sizeof *rows);
    return error;
}
