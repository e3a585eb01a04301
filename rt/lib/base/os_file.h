/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The runtime's files. None of the calls allocates or takes a lock, all may be used in
 * a signal handler. They may change errno unless they say otherwise. */
#ifndef ALLOCSITE_LIB_BASE_OS_FILE_H
#define ALLOCSITE_LIB_BASE_OS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file that is kept open in a process which does not know of it, and may close what it has not opened. */
struct os_file {
    int fd;
    uint64_t device, inode;
};

/* Keeps fd, out of the way of the program's own descriptors. */
void os_file_note(struct os_file *, int fd);

/* Whether the descriptor still is that file's; and to get one if it is not. */
bool os_file_is_open(const struct os_file *);
bool os_file_reopen(struct os_file *, const char *path);

/* Whether nothing names it any more. False if that is not known, for the descriptor is closed. */
bool os_file_is_removed(const struct os_file *);

/* Closes the descriptor if it is the file's. */
void os_file_close(struct os_file *);

/* Space of the disk for a part of the file, which then holds zeros, or for bytes, which are written there.
 * None of them is a point where a thread can be cancelled. 0 or errno. */
int os_allocate(int fd, uint64_t offset, size_t size);
int os_write(int fd, const void *bytes, size_t size);
int os_write_at(int fd, const void *bytes, size_t size, uint64_t offset);

/* Maps a part of the file, shared, in the place of what is mapped at address. False: it is as it was, see
 * errno. */
bool os_map_file(void *address, size_t size, int fd, uint64_t offset);

/* Reads the beginning of the file. The number of bytes, below 0: none, see errno. */
long os_read_file(const char *path, char *bytes, size_t size);

/* A whole file, for os_unmap. NULL: it cannot be read, or is empty. Keeps errno. */
const void *os_map_to_read(const char *path, size_t *size);

/* None of the calls here is a point where a thread can be cancelled. Keeps errno. */
void os_close(int fd);

/* A copy of a descriptor, out of the way of the program's own. -1 with errno. */
int os_keep(int fd);

#endif
