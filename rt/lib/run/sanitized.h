/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs whose heap a sanitizer serves. */
#ifndef ALLOCSITE_LIB_RUN_SANITIZED_H
#define ALLOCSITE_LIB_RUN_SANITIZED_H

/* Has the sanitizer tell of every free, and of the end of a process in which it has found something, at which
 * no destructor runs. */
void sanitized_begin(void);

#endif
