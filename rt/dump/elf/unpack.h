/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Symbols that are compressed in the module or on a server. */
#ifndef ALLOCSITE_DUMP_ELF_UNPACK_H
#define ALLOCSITE_DUMP_ELF_UNPACK_H

#include <stddef.h>

/* Unpacks the ELF file in a section .gnu_debugdata, which is an xz file. The caller frees it. NULL: damaged,
 * larger than any symbol table, or built without liblzma. */
unsigned char *mini_debug_unpack(const unsigned char *bytes, size_t size, size_t *unpacked);

/* The path of the debug information with this build id in the cache of libdebuginfod, which downloads it from
 * the servers in DEBUGINFOD_URLS. The caller frees it. NULL: the variable is not set, the library is missing,
 * or no server has the file. Prints the first error of
 * a server, and returns NULL after a timeout. */
char *debuginfod_fetch(const char *build_id);

#endif
