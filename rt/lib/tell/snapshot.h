/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A snapshot of which blocks point to which (allocsite-graph(5)), written by the process itself. It tells
 * words and roots, types and sites; what the fields and variables are called readers find out. */
#ifndef ALLOCSITE_LIB_TELL_SNAPSHOT_H
#define ALLOCSITE_LIB_TELL_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

/* All threads stand still until the process has a copy of itself, which writes; the calling one waits for
 * that. path: with the patterns of the option report. What fails is told on standard error. 0 or errno. */
int snapshot_write_to(const char *path);

/* ---- The option graph. */

bool snapshot_is_wanted(void);

/* number: of the signal that it is written at; 0: at the end. */
void snapshot_write_wanted(uint32_t number);

#endif
