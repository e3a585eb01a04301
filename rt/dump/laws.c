/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What must hold between a report's numbers, and who is told if it does not. */
#include "laws.h"
#include "command.h"

#include "../lib/report_check.h"

#include <inttypes.h>
#include <stdio.h>

/* Breaches that are told one by one. */
enum { BREACHES_TOLD = 10 };

struct breaches {
    const char *path;
    size_t count;
};

static void tell_breach(void *context, const struct report_breach *breach) {
    struct breaches *breaches = context;
    char whose[32] = "totals";
    if (breaches->count++ >= BREACHES_TOLD)
        return;
    if (breach->site)
        snprintf(whose, sizeof whose, "site %016" PRIx64, breach->site->view.id);
    complain(breaches->path, "breaks a law: %s: %s, but they are %" PRIu64 " and %" PRIu64, whose,
             breach->law, breach->left, breach->right);
}

int laws_check(const char *path, const struct report *report) {
    struct breaches breaches = {.path = path};
    report_check(report, tell_breach, &breaches);
    if (breaches.count > BREACHES_TOLD)
        complain(path, "and %zu more breaches", breaches.count - BREACHES_TOLD);
    return breaches.count ? STATUS_FAILED : STATUS_DONE;
}

int laws_need_owners(const char *path, const struct report *report) {
    if (!report->is_unowned)
        return STATUS_DONE;
    complain(path,
             "was counted without the owners of blocks: run the program without ALLOCSITE_OPTIONS=owners=0");
    return STATUS_FAILED;
}
