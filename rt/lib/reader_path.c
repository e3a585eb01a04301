/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where a static program finds the reader: beside the archive that it was linked with. Installing the archive
 * puts the installed path in the place of that of the build. */
#include "format.h"

extern const char reader_path[] __asm__(ALLOCSITE_ENTRY_PREFIX "reader_path");
const char reader_path[] = ALLOCSITE_READER_PATH;
