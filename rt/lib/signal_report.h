/* A report at a signal (option signal).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_SIGNAL_REPORT_H
#define ALLOCSITE_SIGNAL_REPORT_H

/* From here on. number: of the signal. */
void signal_report_begin(int number);

#endif
