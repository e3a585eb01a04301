/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The memory of another process, read while it runs. The process is not stopped, runs no code for us, and is
 * written to only by control.c, so an error here cannot harm it. The bytes may have any value. The total is
 * limited in proportion to the size of the process (dump/base/memory.h).
 *
 * A 64-bit counter is never torn: the kernel copies with an instruction that moves aligned words as a whole.
 * This is not documented but measured: of 2.1e9 reads of counters that another processor switched between all
 * zeros and all ones, with 4.6e6 changes observed, none was mixed (AMD EPYC, Linux 6.18, copies of 64 bytes,
 * 4 KiB and 1 MiB). */
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
    int fd;          /* of /proc/PID/mem, if process_vm_readv is not allowed; -1: not needed yet */
    uint64_t budget; /* total in bytes */
    uint64_t left;   /* remainder for data read in small pieces */
};

void remote_memory_open(struct remote_memory *, unsigned pid);
void remote_memory_close(struct remote_memory *);

/* Reads at once. False with errno: unmapped, not permitted, or the budget is exhausted. */
bool remote_read(struct remote_memory *, uint64_t address, void *to, size_t size);

/* Reads many pieces, in order, with few system calls. */
bool remote_read_all(struct remote_memory *, const struct iovec *local, const struct iovec *remote,
                     size_t count);

/* Writes. False with errno, as above. */
bool remote_write(struct remote_memory *, uint64_t address, const void *from, size_t size);

/* ---- The runtime in another process (root.h). */

struct remote_root {
    uint64_t address; /* of struct root */
    struct root root;
};

/* Finds the runtime. False: *why has the reason. */
bool remote_root_find(struct remote_root *, struct remote_memory *, struct reason *why);

/* Reads a number at an address that the runtime reports. 0: unreadable. */
uint32_t remote_u32(struct remote_memory *, const void *remote);

#endif
