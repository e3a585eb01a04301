/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A JSON document as values, read piece by piece. What its long arrays have can be taken as it comes and is
 * then forgotten, so that a document may be larger than the memory.
 *
 * Refused are, besides what is no JSON: members of one name, more than 256 in an object, values that are
 * nested more than 32 deep, and characters of number 0. */
#ifndef ALLOCSITE_DUMP_LOAD_JSON_FIELD_H
#define ALLOCSITE_DUMP_LOAD_JSON_FIELD_H

#include "dump/base/terminal.h"
#include "dump/load/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum json_kind {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_COUNT, /* an integer from 0 to INT64_MAX */
    JSON_NUMBER,
    JSON_TEXT,
    JSON_ARRAY,
    JSON_OBJECT
};

struct json_value {
    enum json_kind kind;
    uint32_t name_length;
    const char *name;        /* of a member; else NULL */
    struct json_value *next; /* in the same array or object */
    union {
        uint64_t count;
        const char *text;
        struct {
            struct json_value *first, *last; /* without those that were taken */
            struct json_value *asked;        /* of an object: the member that was found last */
            uint64_t names;                  /* likewise: a bit for each, which others may share */
            size_t size;                     /* with them */
        };
    };
};

struct json_document;

/* An element of an array that is a member of the document: the index-th. */
enum json_taking { JSON_KEEP, JSON_TAKEN, JSON_STOP };
typedef enum json_taking json_take(void *context, struct json_value *document, const char *array,
                                   size_t index, struct json_value *element);

/* The elements are offered to take. */
struct json_document *json_document_new(json_take *, void *context);
void json_document_free(struct json_document *);

/* The next bytes; json_document_end: there are no more. False: *why says why, unless it was stopped. */
bool json_document_feed(struct json_document *, const char *bytes, size_t size, struct reason *why);
bool json_document_end(struct json_document *, struct reason *why);

/* NULL: nothing has come. It lives as long as the document. */
struct json_value *json_document_value(const struct json_document *);

/* The member; NULL: there is none, or it is no object. */
struct json_value *json_member(struct json_value *object, const char *name);

/* ---- Members of JSON objects that somebody else wrote: each is taken only if it is what it should be. The
 * first one that is not is told as "sites[3].line is not a count"; all others are nothing from then on: 0,
 * false, NULL. */

struct json_errors {
    struct reason *why;
    bool is_wrong; /* and why is set */
};

/* An object and how to get there. */
struct json_at {
    struct json_value *object;
    struct json_errors *errors;
    const struct json_at *parent; /* NULL: the document */
    const char *array;            /* the member of parent that holds it ... */
    size_t index;                 /* ... at this index; SIZE_MAX: that is it */
};

bool json_field_exists(const struct json_at *, const char *name);

/* Strings and arrays are borrowed from the document. */
uint64_t json_field_u64(const struct json_at *, const char *name);
uint32_t json_field_u32(const struct json_at *, const char *name);
bool json_field_bool(const struct json_at *, const char *name);
const char *json_field_text(const struct json_at *, const char *name);
struct json_value *json_field_array(const struct json_at *, const char *name);

/* The same where null stands for NULL. */
const char *json_field_text_or_null(const struct json_at *, const char *name);

/* Sixteen hexadecimal digits, or null: then *is_null. */
uint64_t json_field_id(const struct json_at *, const char *name, bool *is_null);

/* "0x" and up to sixteen hexadecimal digits. */
uint64_t json_field_address(const struct json_at *, const char *name);

static inline struct json_value *json_first(const struct json_value *array) {
    return array ? array->first : NULL;
}

static inline size_t json_size(const struct json_value *array) {
    return array ? array->size : 0;
}

/* The object at an index of an array that is a member of parent; one that is a member itself. */
struct json_at json_field_element(const struct json_at *parent, const char *array, size_t index,
                                  struct json_value *element);
struct json_at json_field_object(const struct json_at *parent, const char *name);

/* Says of a member that it is not what it should be, unless that was said of another one. Always false. */
bool json_field_wrong(const struct json_at *, const char *name, const char *what);

/* ---- The parts of a report in JSON. */

/* Whether it is one that this reads. */
bool report_read_format(const struct json_at *top);

/* The totals, which tell what counters there are, and then the rest of what is not listed. */
void report_read_totals(struct report_file *, const struct json_at *top);
void report_read_head(struct report_file *, const struct json_at *top);

void report_read_lost(struct report_site *, const struct json_at *);

/* Texts of what is taken as it comes, which is forgotten then. */
const char *report_read_text(struct report_file *, const struct json_at *, const char *name);

/* The counters of a site or a stack. Those that the report does not tell are 0. */
void report_read_counters(const struct report_file *, struct counters *, const struct json_at *);

/* Strings, as many as *count says; the caller frees the array. */
const char **report_read_texts(const struct json_at *, const char *name, size_t *count);

void report_read_modules(struct report_file *, const struct json_at *top);
void report_read_walks(struct report_file *, const struct json_at *top);
void report_read_threads(struct report_file *, const struct json_at *top);

/* The site that a stack or a phase is of; NULL: there is none. The sites have been read, and by_id is sorted.
 */
struct report_site *report_read_site(const struct report_file *, const struct json_at *);

/* The modules have been, too. */
void report_read_stack(struct report_file *, const struct json_at *);

/* All stacks have been. */
void report_read_stacks_end(struct report_file *);
void report_read_stacks_free(struct report_file *);

#endif
