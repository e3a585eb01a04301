/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The build id of an ELF file: the same in the file, in its separate debug file and in the running program.
 */
#ifndef ALLOCSITE_ELF_BUILD_ID_H
#define ALLOCSITE_ELF_BUILD_ID_H

#include "../lib/build_id.h"
#include "elf_file.h"

/* Writes the GNU build id in hexadecimal digits, "" if the file has none, or one that is longer. */
void elf_build_id(const struct elf_file *, char text[BUILD_ID_SIZE]);

#endif
