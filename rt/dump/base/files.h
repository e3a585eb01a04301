/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Regular files in memory. Files are mapped, not read. So only the needed pages of a large program are
 * loaded, and 64-bit counters of a running program are never torn, which read(2) does not guarantee. */
#ifndef ALLOCSITE_DUMP_BASE_FILES_H
#define ALLOCSITE_DUMP_BASE_FILES_H

#include "base/out.h"
#include "dump/base/terminal.h"

#include <stddef.h>

struct file_map {
    void *bytes;
    size_t size;
    struct file_mapped *mapped; /* state for the SIGBUS handler */
};

/* Bytes that are truncated while the file is mapped read as zero; SIGBUS is handled. False: *why has the
 * reason, and nothing is mapped. */
bool file_map(struct file_map *, const char *path, struct reason *why);
bool file_map_descriptor(struct file_map *, int fd, size_t size, struct reason *why);

/* False: the file was truncated while it was mapped, so this process or a child may have read zeros; *why
 * says so. */
bool file_unmap(struct file_map *, struct reason *why);

/* ---- A file that replaces the old one when it is complete. */

struct new_file {
    int fd; /* empty, open for writing */
    const char *path;
    char *temporary; /* its name until then, in the same folder; NULL: written in place */
};

/* "-" is standard output. An existing regular file may be replaced. Only the owner can read the new one. A
 * pipe is waited for until it has a reader. False: *why has the reason, and there is nothing to end. */
bool new_file_open(struct new_file *, const char *path, struct reason *why);

/* error: of writing; 0: puts the file in place. False: *why has the reason, and the old file is unchanged. */
bool new_file_end(struct new_file *, int error, struct reason *why);

/* Checks, before any work is done, whether the file could be opened. Pipes and devices are not opened: a
 * reader of the pipe would see its end when it is closed again. STATUS_FAILED after an error message. */
int new_file_check(const char *path);

/* ---- All bytes of a file or pipe. */

/* Larger inputs are refused, so that an endless input cannot exhaust memory. */
#define WHOLE_INPUT_MAX ((size_t)1 << 30)

/* Reads the file, or standard input if path is "-". The caller frees *bytes. False: *why has the reason. */
bool whole_input(const char *path, char **bytes, size_t *size, struct reason *why);

/* ---- The files of a folder. */

/* Their paths in order, without hidden and unfinished files. The caller frees the list and each path. NULL:
 * errno has the error. */
char **folder_files(const char *path, int *count);

/* ---- The standard output of a command. */

/* Directs output to a new file, which replaces the old one at the end; "-" is standard output itself. */
void standard_out_to(const char *path);

/* Returns the status, or STATUS_FAILED after an error message if text printed with puts could not be
 * written. */
int standard_out_status(int status);

/* Descriptor of the terminal on standard output; -1: not a terminal. */
int standard_out_terminal(void);

/* The only writer to standard output. */
struct out *standard_out(void);

/* Flushes. STATUS_FAILED after an error message: not everything could be written. */
int standard_out_end(void);

/* True if writing failed. */
bool standard_out_failed(void);

#endif
