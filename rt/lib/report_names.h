/* Names of functions and files for people: one line, of bearable length.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_REPORT_NAMES_H
#define ALLOCSITE_REPORT_NAMES_H

#include <stddef.h>

#define NAME_SIZE 256

/* The function's name; when it is long, template arguments become <...> and what is longer still is cut. */
void name_function(char text[NAME_SIZE], const char *function);

#endif
