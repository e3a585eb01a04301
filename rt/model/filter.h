/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sites that are asked for by name. */
#ifndef ALLOCSITE_MODEL_FILTER_H
#define ALLOCSITE_MODEL_FILTER_H

#include "model/site.h"

/* Whether the pattern (base/words.h) is that of the place: its file or file:line, from any slash on, or
 * its function, with or without parameters. */
bool filter_is_place(const char *pattern, const struct place *);

/* The function, with or without parameters. */
bool filter_is_function(const char *pattern, const char *function);

/* From any slash on. */
bool filter_is_path(const char *pattern, const char *path);

/* The text; NULL is matched by nothing. */
bool filter_is_name(const char *pattern, const char *name);

/* The same for the name that reports show (names/names.h), in place of the whole one. NULL is matched by
 * nothing. */
bool filter_is_shown_function(const char *pattern, const char *function);
bool filter_is_type(const char *pattern, const char *type);

bool filter_is_id(const char *pattern, uint64_t id);

/* "GLOB": id, callee, type, module, or the place of the site or of what it was inlined into.
 * "KIND=GLOB": only that; KIND is site (id), file, function, type, module or callee. */
bool filter_matches(const char *filter, const struct site_view *);

#endif
