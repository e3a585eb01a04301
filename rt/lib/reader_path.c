/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The path of the reader in a static program: next to the archive that it was linked with. Installing the
 * archive replaces the path in the build tree by the installed one. */
#include "format.h"

extern const char reader_path[] __asm__(ALLOCSITE_ENTRY_PREFIX "reader_path");
const char reader_path[] = ALLOCSITE_READER_PATH;
