/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The option fail=fork:JOBS:SECONDS:SITE:FOLDER, for allocsite-run --fail-each --fork: at the first
 * allocation on each call path, or with SITE 1 at each site, the process forks. In the child that allocation
 * fails, and the child forks no more.
 *
 * The child is forked by a process that ends at once, so the program neither waits for it nor gets its
 * SIGCHLD. It inherits the end of a pipe; so this process knows when it ends, and starts no further one while
 * JOBS of them run. A child that runs for more than SECONDS is killed.
 *
 * Standard output and error of the child are the hidden files .PID.1 and .PID.2 in the folder. They begin
 * with what the program has written so far, if that is in a file; so the output of a child can be compared
 * with that of the whole program. Files that are open for reading are opened anew, at the same place. Files
 * that are open for writing are shared.
 *
 * A process with several threads does not fork, because the child would have only one of them. */
#ifndef ALLOCSITE_LIB_HOOK_FAIL_FORK_H
#define ALLOCSITE_LIB_HOOK_FAIL_FORK_H

#include <stdbool.h>

/* Returns false if the option has another form. */
bool fail_fork_begin(const char *option, bool *per_site);

/* Forks. Returns true in the child. */
bool fail_fork(void);

#endif
