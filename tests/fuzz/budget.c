/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parses a budget and matches its limits with sites. */
#include "fuzz.h"

#include "dump/compare/check.h"

#include <stdlib.h>

static void check_complaint(void *context, unsigned line, const char *what) {
    unsigned *last = context;
    if (line <= *last || !what)
        abort();
    *last = line;
}

static const struct place caller = {"int ns::parse<char>(char const*)", "/p/src/../src/json/parse.c", 1, 1};
static struct report_site sites[] = {
    {.view = {.id = 0x0123456789abcdef,
              .module = "/usr/bin/app",
              .sited = true,
              .at = {"operator new[](unsigned long)", "a.c", 2, 3},
              .callee = "malloc",
              .type = "std::vector<int>",
              .inlined = &caller,
              .inlined_count = 1}},
    {.view = {.module = "/lib/libc.so.6"}},
    {.view = {.sited = true}, .way = "main;parse"},
};

static struct report_site *order[] = {&sites[0], &sites[1], &sites[2]};
static const struct report report = {.sites = order, .counted = sizeof order / sizeof *order};

/* Made once. */
static const struct subjects *all_subjects(void) {
    static struct subjects subjects;
    if (!subjects.list)
        subjects_make(&subjects, &report);
    subjects.stacks = &subjects;
    return &subjects;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct subjects *subjects = all_subjects();
    struct budget budget;
    struct out out = fuzz_out();
    unsigned line = 0;
    budget_read(&budget, (const char *)data, size, check_complaint, &line);
    for (size_t i = 0; i < budget.count; i++) {
        const struct limit *limit = &budget.limits[i];
        check_sum(subjects, limit);
        if (limit->pattern)
            budget_write_pattern(&out, limit->pattern);
    }
    budget_free(&budget);
    return 0;
}
