/* The build id of a module that is in memory.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_BUILD_ID_H
#define ALLOCSITE_BUILD_ID_H

#define BUILD_ID_SIZE 65

/* Writes the GNU build id in hexadecimal digits, "" if the module has none, or one that is longer. start:
 * where its ELF header is mapped; NULL: not known. */
void build_id_read(char text[BUILD_ID_SIZE], const void *start);

#endif
