/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parsing demangled names. Functions parse [at, end) and return the position after the parsed part; begin:
 * start of the name, for characters before at. */
#ifndef ALLOCSITE_NAMES_DEMANGLED_H
#define ALLOCSITE_NAMES_DEMANGLED_H

#include <stdbool.h>
#include <stddef.h>

struct range {
    const char *begin, *end;
};

/* The part of a function that is its name; all of it if it cannot be parsed. */
struct range demangled_name(const char *function);

bool demangled_starts(const char *at, const char *end, const char *word);
bool demangled_is_word(char c);
size_t demangled_word_length(const char *at, const char *end);
bool demangled_is_anonymous(const char *at, const char *end);

/* The position after the matching bracket; NULL: not closed. */
const char *demangled_skip_group(const char *at, const char *end, char close);

/* The position after a token or group, or after template arguments. NULL: a bracket is not closed. */
const char *demangled_skip(const char *at, const char *begin, const char *end);

/* The position after const, volatile, & and && of a function. */
const char *demangled_skip_qualifiers(const char *at, const char *end);

/* The position after the type of a conversion operator, which may be a pointer to a function. */
const char *demangled_skip_conversion(const char *at, const char *begin, const char *end);

#endif
