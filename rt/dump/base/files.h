/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Regular files in memory. Mapped rather than read: of a large program with debug information only those
 * pages are touched that are looked at, and a counter of a running program is never read half, for which
 * read(2) gives no promise. */
#ifndef ALLOCSITE_DUMP_BASE_FILES_H
#define ALLOCSITE_DUMP_BASE_FILES_H

#include "base/out.h"
#include "dump/base/terminal.h"

#include <stddef.h>

struct file_map {
    void *bytes;
    size_t size;
    struct file_mapped *mapped; /* what the handler of SIGBUS knows */
};

/* Bytes that are cut off the file while it is mapped read as zeros; SIGBUS is handled for that. False: *why
 * says why, and nothing is mapped. */
bool file_map(struct file_map *, const char *path, struct reason *why);
bool file_map_descriptor(struct file_map *, int fd, size_t size, struct reason *why);

/* False: it was cut while it was mapped, so that something that is gone may have been read here or in a
 * child; *why says so. */
bool file_unmap(struct file_map *, struct reason *why);

/* ---- A file that takes its place only when it is whole. */

struct new_file {
    int fd; /* empty, open for writing */
    const char *path;
    char *temporary; /* its name until then, in the same folder; NULL: it is written to in its place */
};

/* "-" is standard output. A regular file that is there already may be replaced. The new one can be read by
 * its owner only. A pipe is waited for until somebody reads it. False: *why says why, and there is nothing to
 * end.
 */
bool new_file_open(struct new_file *, const char *path, struct reason *why);

/* error: of writing; 0: puts it in its place. False: *why says why, and what was there before still is. */
bool new_file_end(struct new_file *, int error, struct reason *why);

/* Whether one could be opened, before any work is done for it. Pipes and devices are not tried: who reads a
 * pipe would see its end. STATUS_FAILED: what is wrong has been told. */
int new_file_check(const char *path);

/* ---- All bytes of a file or pipe. */

/* Larger ones are refused, so that an endless one does not take all memory. */
#define WHOLE_INPUT_MAX ((size_t)1 << 30)

/* Reads the file, or standard input if path is "-". The caller frees *bytes. False: *why says why. */
bool whole_input(const char *path, char **bytes, size_t *size, struct reason *why);

/* ---- The files of a folder. */

/* Their paths in order, but for hidden ones and new ones that have no name of their own yet. The caller frees
 * the list and each of it. NULL: errno says why. */
char **folder_files(const char *path, int *count);

/* ---- The standard output of a command. */

/* From now on it is a new file of that path, which takes its place at the end; "-" is standard output itself.
 */
void standard_out_to(const char *path);

/* The status of a command that may have told something by puts; STATUS_FAILED if that did not come there,
 * which is complained about. */
int standard_out_told(int status);

/* Where it is shown if that is a terminal; -1: it is a file. */
int standard_out_terminal(void);

/* The one writer to it, empty. */
struct out *standard_out(void);

/* Writes what is waiting. STATUS_FAILED: not all of it could be written, which is complained about. */
int standard_out_end(void);

/* Whether that could not write all. */
bool standard_out_failed(void);

#endif
