/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The commands of allocsite-dump. */
#ifndef ALLOCSITE_DUMP_COMMANDS_COMMANDS_H
#define ALLOCSITE_DUMP_COMMANDS_COMMANDS_H

#include "base/out.h"
#include "dump/base/complain.h"
#include "dump/table/table.h"

/* ---- allocsite-dump sites, wrappers, report. */

command_function command_sites, command_wrappers, command_report;

/* ---- allocsite-dump annotate. */

command_function command_annotate;

/* ---- allocsite-dump export. */

command_function command_export;

/* Whether the options of the command are right, which may stand without a file; else what is wrong has been
 * told. */
command_function export_check_options, report_check_options;

/* ---- allocsite-dump diff. */

command_function command_diff;

/* ---- allocsite-dump check. */

command_function command_check;

/* ---- allocsite-dump merge. */

command_function command_merge;

/* ---- allocsite-dump record. */

command_function command_record;

/* ---- allocsite-dump serve. */

command_function command_serve;

/* ---- allocsite-dump start, stop, reset. */

command_function command_control;

/* ---- allocsite-dump graph. */

command_function command_graph;

/* ---- allocsite-dump top. */

command_function command_top;

/* ---- The output of `allocsite-dump wrappers`: the wrappers of one module. */

/* As a list of allocators. */
void wrappers_text(struct out *, const struct table *);

/* One line: a document of the format "allocsite-wrappers". */
void wrappers_json(struct out *, const char *module, const struct table *);

#endif
