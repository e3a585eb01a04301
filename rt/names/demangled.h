/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where a demangled name has its parts. All look at [at, end) and go on behind what is there; begin: where
 * the name begins, for what stands before at. */
#ifndef ALLOCSITE_NAMES_DEMANGLED_H
#define ALLOCSITE_NAMES_DEMANGLED_H

#include <stdbool.h>
#include <stddef.h>

struct stretch {
    const char *begin, *end;
};

bool demangled_starts(const char *at, const char *end, const char *word);
bool demangled_is_word(char c);
size_t demangled_word_length(const char *at, const char *end);
bool demangled_is_anonymous(const char *at, const char *end);

/* Behind the bracket that closes the one that is there; NULL: none does. */
const char *demangled_skip_group(const char *at, const char *end, char close);

/* Behind what belongs together there, template arguments as well. NULL: a bracket is not closed. */
const char *demangled_skip(const char *at, const char *begin, const char *end);

/* Behind const, volatile, & and && of a function. */
const char *demangled_skip_qualifiers(const char *at, const char *end);

/* The part of a function that is its name. All of it where nothing else can be made out. */
struct stretch demangled_name(const char *function);

#endif
