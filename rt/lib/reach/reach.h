/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lost blocks: live ones that nothing in the process points to any more. A conservative search, with the
 * rules of LeakSanitizer: an aligned word whose value lies in a block reaches it, at its start or inside.
 *
 * The search starts at the writable data of all modules, and at the stack, the registers and the thread-local
 * memory of all threads, and goes on through the blocks that it reaches. The runtime's own memory does not
 * count. Blocks of the dynamic loader (dynamic thread-local memory) and those of the runtime are in use.
 * Called lost, though the program has a way to them: blocks known only to mappings that it made itself, to
 * the kernel (epoll), to a pointer that is stored in disguise, or as what a thread returned that was never
 * joined. */
#ifndef ALLOCSITE_LIB_REACH_REACH_H
#define ALLOCSITE_LIB_REACH_REACH_H

#include "lib/heap/shadow.h"

/* Calls lost for each lost block, in ascending order of addresses. NULL, or why nothing can be told: then
 * lost was not called, and the string lives as long as the process. There is no answer where it could be
 * wrong: with several threads where ptrace is forbidden, or where not all blocks are known, for one that is
 * not could hold the only pointer to one that is. So it is to be called when all holes have been looked for.
 *
 * Other threads stand still meanwhile; one that waits in epoll_wait, or in another call that stopping a
 * process interrupts too (signal(7)), may see EINTR. Needs 25 bytes for each live block, and
 * 16 KiB for each thread. Not for signal handlers. */
const char *reach_find_lost(void (*lost)(void *context, const void *p, const struct block *), void *context);

/* The same whatever holes there are. */
const char *reach_search(void (*lost)(void *context, const void *p, const struct block *), void *context);

/* The bytes of the block that the pointer leads to and of all blocks that these lead to, each once; 0: it
 * leads to none. Chunks that custom allocators hand out in parts are looked through, and count nothing. NULL,
 * or why that cannot be told. As above, for all live blocks are looked for. */
const char *reach_deep_size(const void *from, uint64_t *bytes);

#endif
