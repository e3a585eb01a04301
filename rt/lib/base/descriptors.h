/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Standard output and standard error, where reports go, though the program may close its own. */
#ifndef ALLOCSITE_LIB_BASE_DESCRIPTORS_H
#define ALLOCSITE_LIB_BASE_DESCRIPTORS_H

/* Keeps a way to the report's descriptor if the program is about to close this one. Keeps errno. */
void descriptor_keep(int fd);

/* Where what is meant for 1 or 2 goes. */
int descriptor_standard(int fd);

#endif
