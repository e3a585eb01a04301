/* Where reports go.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_EXIT_H
#define ALLOCSITE_EXIT_H

#include <stdint.h>

/* Of the option report, for the report of a number, which stands behind a path; 0: the one at exit. -1: none, and a line
 * says why. */
int report_descriptor(uint32_t number);
void report_descriptor_close(int fd);

#endif
