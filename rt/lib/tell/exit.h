/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When reports are written: at exit, at a signal, in time for what ends the process. */
#ifndef ALLOCSITE_LIB_TELL_EXIT_H
#define ALLOCSITE_LIB_TELL_EXIT_H

/* Has the report written when the process exits. */
void exit_install(void);

/* The same at once, in the shared library: nothing of the program comes after it. */
void exit_now(void);

/* ---- A report at a signal (option signal). */

/* From here on. number: of the signal. */
void signal_report_begin(int number);

/* At each signal of that number counting starts or stops. */
void signal_start_begin(int number);

/* The profile tells which signal ends the process, but for those that it ignores or has a handler for. */
void signal_fatal_begin(void);

#endif
