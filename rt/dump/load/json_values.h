/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A JSON document as values, read piece by piece. What its long arrays have can be taken as it comes and is
 * then forgotten, so that a document may be larger than the memory.
 *
 * Refused are, besides what is no JSON: members of one name, more than 256 in an object, values that are
 * nested more than 32 deep, and characters of number 0. */
#ifndef ALLOCSITE_DUMP_LOAD_JSON_VALUES_H
#define ALLOCSITE_DUMP_LOAD_JSON_VALUES_H

#include "dump/base/complain.h"

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

#endif
