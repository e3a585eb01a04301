/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The names of sites that the patterns of a budget are held against. */
#include "base/path.h"
#include "dump/base/names.h"
#include "dump/compare/budget.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool add(struct subject *subject, char *name) {
    if (name)
        subject->names[subject->count++] = name;
    return name != NULL;
}

static bool add_function(struct subject *subject, const char *function) {
    if (!function)
        return true;
    char *base = malloc(strlen(function) + 1);
    if (base)
        function_base(function, base);
    return add(subject, base) && (strcmp(base, function) == 0 || add(subject, strdup(function)));
}

/* NULL: out of memory. */
static char *clean_path(const char *path) {
    char clean[PATH_MAX];
    path_show(clean, sizeof clean, path, NULL);
    return strdup(clean);
}

static const struct place *place_of(const struct site_view *view, size_t index) {
    return index ? &view->inlined[index - 1] : &view->at;
}

static bool add_names(struct subject *subject, const struct site_view *view) {
    for (size_t i = 0; i <= view->inlined_count; i++)
        if (!add_function(subject, place_of(view, i)->function))
            return false;
    subject->function_count = subject->count;
    for (size_t i = 0; i <= view->inlined_count; i++) {
        const char *file = place_of(view, i)->file;
        if (file && !add(subject, clean_path(file)))
            return false;
    }
    return true;
}

bool subject_make(struct subject *subject, const struct report_site *site) {
    const struct site_view *view = &site->view;
    *subject = (struct subject){.site = site};
    /* Of each place two names of the function and a file. */
    subject->names = calloc(3 * (view->inlined_count + 1), sizeof *subject->names);
    if (view->module)
        subject->module = clean_path(view->module);
    if (subject->names && !view->module == !subject->module && add_names(subject, view))
        return true;
    subject_free(subject);
    return false;
}

void subject_free(struct subject *subject) {
    for (size_t i = 0; i < subject->count; i++)
        free(subject->names[i]);
    free(subject->names);
    free(subject->module);
}

bool subjects_make(struct subjects *subjects, const struct report *report) {
    *subjects = (struct subjects){.report = report};
    subjects->list = calloc(report->counted + 1, sizeof *subjects->list);
    for (; subjects->list && subjects->count < report->counted; subjects->count++)
        if (!subject_make(&subjects->list[subjects->count], report->sites[subjects->count]))
            break;
    if (subjects->list && subjects->count == report->counted)
        return true;
    subjects_free(subjects);
    return false;
}

void subjects_free(struct subjects *subjects) {
    for (size_t i = 0; i < subjects->count; i++)
        subject_free(&subjects->list[i]);
    free(subjects->list);
}
