/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The memory of another process, read while it runs: it is not stopped, nothing runs in it and nothing in it
 * is written but by control.c, so nothing that is wrong here can harm it. The bytes read may be anything, and
 * never are more than is in proportion to what the process has (dump/base/memory.h).
 *
 * A counter of 64 bits is never read half: the kernel copies with the processor's instruction for that, which
 * moves aligned words as a whole. No manual promises it; of 2.1e9 counters that another processor was
 * changing from all zeros to all ones and back, 4.6e6 of them seen to have changed, none was a mixture (AMD
 * EPYC, Linux 6.18, copies of 64 bytes, 4 KiB and 1 MiB). */
#ifndef ALLOCSITE_DUMP_PROCESS_MEMORY_H
#define ALLOCSITE_DUMP_PROCESS_MEMORY_H

#include "dump/base/hash_index.h"
#include "dump/base/terminal.h"
#include "dump/profile/image.h"
#include "root.h"

#include <stdint.h>
#include <sys/uio.h>

struct remote_memory {
    unsigned pid;
    int fd;          /* of /proc/PID/mem, where process_vm_readv is not allowed; -1: not needed so far */
    uint64_t budget; /* in bytes */
    uint64_t left;   /* of it, for what is read in small pieces */
};

void remote_memory_open(struct remote_memory *, unsigned pid);
void remote_memory_close(struct remote_memory *);

/* Takes so many bytes of what is left. False: there are not so many, and never will be again. */
bool remote_spend(struct remote_memory *, uint64_t size);

/* Reads it now. False with errno: not all of it is there, or it may not be read, or nothing is left. */
bool remote_read(struct remote_memory *, uint64_t address, void *to, size_t size);

/* The same for many pieces, in their order and as fast as it goes. */
bool remote_read_all(struct remote_memory *, const struct iovec *here, const struct iovec *there,
                     size_t count);

/* Writes it. False with errno, as above. */
bool remote_write(struct remote_memory *, uint64_t address, const void *from, size_t size);

/* ---- The runtime in another process (root.h). */

struct remote_root {
    uint64_t address; /* of struct root */
    struct root root;
};

/* Finds it. False: *why says why. */
bool remote_root_find(struct remote_root *, struct remote_memory *, struct reason *why);

/* Reads a number where the runtime says that it keeps it. 0: it is not there. */
uint32_t remote_u32(struct remote_memory *, const void *there);

#endif
