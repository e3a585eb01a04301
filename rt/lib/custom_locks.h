/* The locks of the lists of arenas (custom_arenas.h), one for each shard of these.
 *
 * A signal handler that comes to one while its own thread holds one does not get it. Nobody waits for ever,
 * and for one that was not given back in all that time nobody waits again: its thread may have ended there. A
 * forked child finds all of them open, whoever held them in its parent.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_CUSTOM_LOCKS_H
#define ALLOCSITE_CUSTOM_LOCKS_H

#include <stdbool.h>
#include <stdint.h>

#define CUSTOM_SHARDS 16

/* False: it is not to be had, and the hole is set. was_left: the parent of this process was forked while
 * another thread held it, so what it is for may be half done. Keeps errno. */
bool custom_lock(uint32_t shard, bool *was_left);
void custom_unlock(uint32_t shard);

#endif
