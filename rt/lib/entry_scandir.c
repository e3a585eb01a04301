/* The sited calls of the scandir family. Their callbacks are the program's code: what these allocate is not
 * the site's, so each runs with the scope suspended, through a trampoline that finds it in the thread's
 * memory.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _GNU_SOURCE
#include "entry.h"

#include <dirent.h>

/* struct dirent and dirent64 are one on 64-bit systems; the C library has four names for two functions. */
typedef int filter_function(const struct dirent *);
typedef int compare_function(const struct dirent **, const struct dirent **);

struct callbacks {
    filter_function *filter;
    compare_function *compare;
};

static __thread struct callbacks callbacks __attribute__((tls_model("initial-exec")));

/* What the callback is left with: no scope and no callbacks, whether it returns, throws or jumps away; a call
 * of scandir inside it has its own. */
struct suspension {
    struct scope scope;
    struct callbacks callbacks;
};

static struct suspension suspend(void) {
    struct suspension suspension = {scope_suspend(), callbacks};
    return suspension;
}

static void resume(const struct suspension *suspension) {
    callbacks = suspension->callbacks;
    scope_resume(&suspension->scope);
}

static int call_filter(const struct dirent *entry) {
    struct suspension suspension = suspend();
    int kept = callbacks.filter(entry);
    resume(&suspension);
    return kept;
}

static int call_compare(const struct dirent **a, const struct dirent **b) {
    struct suspension suspension = suspend();
    int order = callbacks.compare(a, b);
    resume(&suspension);
    return order;
}

static void callbacks_restore(const struct callbacks *around) {
    callbacks = *around;
}

#define WITH_CALLBACKS(filter, compare)                                                                      \
    __attribute__((cleanup(callbacks_restore))) struct callbacks callbacks_around = callbacks;               \
    (void)callbacks_around;                                                                                  \
    callbacks = (struct callbacks) {                                                                         \
        (filter_function *)(filter), (compare_function *)(compare)                                           \
    }

static int scanned(int n) {
    if (n < 0)
        scope_call_failed();
    return n;
}

#define FILTER(filter)   ((filter) ? call_filter : NULL)
#define COMPARE(compare) ((compare) ? call_compare : NULL)

ENTRY(int, scandir, const char *path, struct dirent ***list, filter_function *filter,
      compare_function *compare) {
    SCOPED(site);
    WITH_CALLBACKS(filter, compare);
    return scanned(scandir(path, list, FILTER(filter), COMPARE(compare)));
}

ENTRY(int, scandirat, int directory, const char *path, struct dirent ***list, filter_function *filter,
      compare_function *compare) {
    SCOPED(site);
    WITH_CALLBACKS(filter, compare);
    return scanned(scandirat(directory, path, list, FILTER(filter), COMPARE(compare)));
}

typedef int filter64_function(const struct dirent64 *);
typedef int compare64_function(const struct dirent64 **, const struct dirent64 **);

_Static_assert(sizeof(struct dirent) == sizeof(struct dirent64), "one structure under two names");

#define FILTER64(filter)   ((filter64_function *)FILTER(filter))
#define COMPARE64(compare) ((compare64_function *)COMPARE(compare))

ENTRY(int, scandir64, const char *path, struct dirent64 ***list, filter64_function *filter,
      compare64_function *compare) {
    SCOPED(site);
    WITH_CALLBACKS(filter, compare);
    return scanned(scandir64(path, list, FILTER64(filter), COMPARE64(compare)));
}

ENTRY(int, scandirat64, int directory, const char *path, struct dirent64 ***list, filter64_function *filter,
      compare64_function *compare) {
    SCOPED(site);
    WITH_CALLBACKS(filter, compare);
    return scanned(scandirat64(directory, path, list, FILTER64(filter), COMPARE64(compare)));
}
