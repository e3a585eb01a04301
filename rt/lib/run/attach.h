/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that allocsite-run calls in a process that was started without the runtime. */
#ifndef ALLOCSITE_LIB_RUN_ATTACH_H
#define ALLOCSITE_LIB_RUN_ATTACH_H

/* Starts counting. options: of the runtime; they include stopped=1. Returns NULL, or the reason why the
 * process is not counted; in this case nothing was changed. */
const char *run_attach(const char *options);

/* Ends counting, and restores the functions of the process. Threads may still be in the runtime. */
void run_detach(void);

/* Gives memory back. No thread may be in the runtime. */
void run_leave(void);

#endif
