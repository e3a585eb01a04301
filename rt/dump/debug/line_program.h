/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The rows of a line table: the program in .debug_line of DWARF 2 to 5, run.
 *
 * This is not libdwarf's, for that of 2021, which distributions have, begins sequences of DWARF 5 with file 0
 * and not 1: code of templates would stand in the wrong file. The bytes are hostile; what is wrong in them
 * ends the program. */
#ifndef ALLOCSITE_DUMP_DEBUG_LINE_PROGRAM_H
#define ALLOCSITE_DUMP_DEBUG_LINE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line_row {
    uint64_t address; /* where it begins; it goes up to the next row of its sequence */
    uint64_t file, line, column;
    bool is_end; /* of a sequence: there is no more code */
};

typedef void line_row_function(void *context, const struct line_row *);

/* Calls for each row of the table at the offset of the section. */
void line_program_run(const unsigned char *section, size_t size, uint64_t offset, line_row_function *,
                      void *context);

#endif
