/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Annotations of source lines for editors and CI: workflow commands of GitHub Actions, and SARIF 2.1.0.
 *
 * Levels are "error", "warning" and "note". Paths below the directory are shown relative to it. A place or a
 * function that is NULL is left out. */
#ifndef ALLOCSITE_DUMP_FINDINGS_ANNOTATIONS_H
#define ALLOCSITE_DUMP_FINDINGS_ANNOTATIONS_H

#include "model/site.h"
#include "write/formats.h"

/* name: second word of the title, or "". */
void github_command(struct out *, const char *level, const struct place *, const char *directory,
                    const char *name, const char *text);

/* Begins a document in its list of rules. After that list come members of the run, then its results. */
struct json sarif_begin(struct out *);
void sarif_rule(struct json *, const char *id, const char *meaning, const char *level);
void sarif_end_rules(struct json *);
void sarif_begin_results(struct json *);
void sarif_end(struct json *);

/* Begins a result. Its locations and fingerprints follow. */
void sarif_begin_result(struct json *, const char *rule, const char *level, const char *text);
void sarif_location(struct json *, const struct place *, const char *function, const char *directory,
                    const char *message);
void sarif_message(struct json *, const char *key, const char *text);

#endif
