/* Getting out of the way when nothing is counted.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_ASIDE_H
#define ALLOCSITE_ASIDE_H

/* Once, before the first thread and any other constructor. */
void step_aside(void);

#endif
