/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks a module's table against its debug information and writes what disagrees. */
#ifndef ALLOCSITE_DUMP_VERIFY_VERIFY_H
#define ALLOCSITE_DUMP_VERIFY_VERIFY_H

#include "base/out.h"
#include "dump/elf/elf_file.h"
#include "dump/table/table.h"
#include "dump/verify/evidence.h"

/* Runs in a process of its own, so that damaged debug information cannot take the caller along. Returns an
 * exit status, STATUS_DONE if every site that can be checked agrees; flushes the writer. */
int verify(struct out *, bool is_json, const char *module, const struct elf_file *, const struct table *);

#endif
