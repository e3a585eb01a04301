/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Matches sites by name. */
#ifndef ALLOCSITE_MODEL_FILTER_H
#define ALLOCSITE_MODEL_FILTER_H

#include "model/site.h"

/* True if the pattern (base/words.h) matches the location's file or file:line, from any slash on, or its
 * function, with or without parameters. */
bool filter_is_place(const char *pattern, const struct place *);

/* Matches a function, with or without parameters. */
bool filter_is_function(const char *pattern, const char *function);

/* Matches a path from any slash on. */
bool filter_is_path(const char *pattern, const char *path);

/* Matches the whole name; NULL never matches. */
bool filter_is_name(const char *pattern, const char *name);

/* The same for names as reports show them (names/names.h). NULL never matches. */
bool filter_is_shown_function(const char *pattern, const char *function);
bool filter_is_type(const char *pattern, const char *type);

bool filter_is_id(const char *pattern, uint64_t id);

/* "GLOB" matches the id, callee, type, module, or a location of the site or its inline chain. "KIND=GLOB"
 * matches one of them; KIND is site (id), file, function, type, module or callee. */
bool filter_matches(const char *filter, const struct site_view *);

#endif
