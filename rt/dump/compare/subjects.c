/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Computes the names of sites, and finds sites by the patterns of a budget. */
#include "base/arrays.h"
#include "base/path.h"
#include "base/words.h"
#include "dump/base/memory.h"
#include "dump/base/names.h"
#include "dump/compare/check.h"
#include "names/names.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_function(struct subject *subject, const char *function) {
    if (!function)
        return;
    size_t size = name_whole_size(function);
    char *base = function_base_copy(function), *shown = memory_zeros(size, 1);
    subject->names[subject->count++] = base;
    if (strcmp(base, function) != 0)
        subject->names[subject->count++] = memory_text("%s", function);
    name_function_whole(shown, size, function);
    if (strcmp(base, shown) != 0 && strcmp(function, shown) != 0)
        subject->names[subject->count++] = shown;
    else
        free(shown);
}

static char *clean_path(const char *path) {
    char clean[PATH_MAX];
    path_show(clean, sizeof clean, path, NULL);
    return memory_text("%s", clean);
}

static const struct place *place_of(const struct site_view *view, size_t index) {
    return index ? &view->inlined[index - 1] : &view->at;
}

void subject_make(struct subject *subject, const struct report_site *site) {
    const struct site_view *view = &site->view;
    *subject = (struct subject){.site = site, .module = view->module ? clean_path(view->module) : NULL};
    snprintf(subject->id, sizeof subject->id, "%016" PRIx64, view->id);
    /* each location has up to three names of the function, and a file */
    subject->names = memory_zeros(4 * (view->inlined_count + 1), sizeof *subject->names);
    if (view->type) {
        size_t size = name_whole_size(view->type);
        subject->shown_type = memory_zeros(size, 1);
        name_type_whole(subject->shown_type, size, view->type);
    }
    for (size_t i = 0; i <= view->inlined_count; i++)
        add_function(subject, place_of(view, i)->function);
    subject->function_count = subject->count;
    for (size_t i = 0; i <= view->inlined_count; i++)
        if (place_of(view, i)->file)
            subject->names[subject->count++] = clean_path(place_of(view, i)->file);
}

void subject_free(struct subject *subject) {
    for (size_t i = 0; i < subject->count; i++)
        free(subject->names[i]);
    free(subject->names);
    free(subject->shown_type);
    free(subject->module);
}

void subjects_make(struct subjects *subjects, const struct report *report) {
    *subjects = (struct subjects){.report = report, .count = report->counted};
    subjects->list = memory_zeros(subjects->count, sizeof *subjects->list);
    subjects->by = memory_zeros(BUDGET_KINDS, sizeof *subjects->by);
    for (size_t i = 0; i < subjects->count; i++)
        subject_make(&subjects->list[i], report->sites[i]);
}

void subjects_free(struct subjects *subjects) {
    for (size_t i = 0; i < subjects->count; i++)
        subject_free(&subjects->list[i]);
    for (int kind = 0; kind < BUDGET_KINDS; kind++)
        free(subjects->by[kind].names);
    free(subjects->by);
    free(subjects->list);
}

/* ---- Finding subjects. A budget may have as many lines as the program has functions, so a line must not
 * examine every site. */

struct subject_name {
    const char *text;
    size_t subject;
};

static int compare_subject_names(const void *a, const void *b) {
    const struct subject_name *left = a, *right = b;
    return strcmp(left->text, right->text) ?: compare_u64(left->subject, right->subject);
}

static void add_name(struct subject_index *index, const char *text, size_t subject) {
    if (!text)
        return;
    memory_grow(&index->names, index->count, &index->capacity, sizeof *index->names);
    index->names[index->count++] = (struct subject_name){text, subject};
}

/* Paths are sorted by their last component, because a pattern may leave out leading folders. */
static void add_names(struct subject_index *index, enum budget_kind kind, const struct subject *subject,
                      size_t number) {
    const struct site_view *view = &subject->site->view;
    if (kind == BUDGET_SITE)
        add_name(index, subject->id, number);
    for (size_t i = 0; kind == BUDGET_FUNCTION && i < subject->function_count; i++)
        add_name(index, subject->names[i], number);
    for (size_t i = subject->function_count; kind == BUDGET_FILE && i < subject->count; i++)
        add_name(index, path_base(subject->names[i]), number);
    if (kind == BUDGET_TYPE)
        add_name(index, view->type, number);
    if (kind == BUDGET_TYPE)
        add_name(index, subject->shown_type, number);
    if (kind == BUDGET_CALLEE)
        add_name(index, view->callee, number);
    if (kind == BUDGET_STACK)
        add_name(index, subject->site->way, number);
    if (kind == BUDGET_MODULE || kind == BUDGET_UNSITED)
        add_name(index, subject->module ? path_base(subject->module) : NULL, number);
}

static const struct subject_index *index_of(const struct subjects *subjects, enum budget_kind kind) {
    struct subject_index *index = &subjects->by[kind];
    for (size_t i = 0; !index->is_made && i < subjects->count; i++)
        add_names(index, kind, &subjects->list[i], i);
    if (!index->is_made)
        sort_list(index->names, index->count, sizeof *index->names, compare_subject_names);
    index->is_made = true;
    return index;
}

/* The common prefix of all names that the pattern matches. */
static struct subject_prefix {
    const char *text;
    size_t length;
} prefix_of(const struct limit *limit) {
    bool is_path =
        limit->kind == BUDGET_FILE || limit->kind == BUDGET_MODULE || limit->kind == BUDGET_UNSITED;
    const char *text = is_path ? path_base(limit->pattern) : limit->pattern;
    size_t length = wildcard_prefix(text);
    return (struct subject_prefix){text, is_path && text[length] ? 0 : length};
}

static int compare_prefix(const void *key, const void *name) {
    const struct subject_prefix *prefix = key;
    return strncmp(prefix->text, ((const struct subject_name *)name)->text, prefix->length);
}

static int compare_numbers(const void *a, const void *b) {
    return compare_u64(*(const size_t *)a, *(const size_t *)b);
}

/* A subject may have several matching names: removes duplicates. */
static size_t leave_each_once(size_t *numbers, size_t count) {
    size_t kept = 0;
    sort_list(numbers, count, sizeof *numbers, compare_numbers);
    for (size_t i = 0; i < count; i++)
        if (!i || numbers[i] != numbers[i - 1])
            numbers[kept++] = numbers[i];
    return kept;
}

static size_t *find_covered(const struct subjects *subjects, const struct limit *limit, size_t *count) {
    const struct subject_index *index = index_of(subjects, limit->kind);
    struct subject_prefix prefix = prefix_of(limit);
    size_t *numbers = NULL, capacity = 0;
    size_t at = sorted_before(index->names, index->count, sizeof *index->names, &prefix, compare_prefix);
    for (; at < index->count && compare_prefix(&prefix, &index->names[at]) == 0; at++) {
        size_t number = index->names[at].subject;
        if ((*count && numbers[*count - 1] == number) || !budget_covers(limit, &subjects->list[number]))
            continue;
        memory_grow(&numbers, *count, &capacity, sizeof *numbers);
        numbers[(*count)++] = number;
    }
    *count = leave_each_once(numbers, *count);
    return numbers;
}

size_t *subjects_covered(const struct subjects *subjects, const struct limit *limit, size_t *count) {
    size_t *numbers;
    subjects = subjects_for(subjects, limit->kind);
    *count = 0;
    if (limit->pattern)
        return find_covered(subjects, limit, count);
    numbers = memory_zeros(subjects->count, sizeof *numbers);
    for (; *count < subjects->count; ++*count)
        numbers[*count] = *count;
    return numbers;
}
