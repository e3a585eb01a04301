/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lib/base/descriptors.h"

#include "lib/base/os_file.h"
#include "lib/base/state.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Copies of the descriptors 1 and 2, made when the program closed them with fclose; 0: none. */
static int kept[3];

void descriptor_keep(int fd) {
    runtime_start();
    const char *name = fd == STDERR_FILENO ? "stderr" : "stdout";
    if (runtime_off || (fd != STDOUT_FILENO && fd != STDERR_FILENO) || kept[fd] ||
        strcmp(runtime_options()->report, name) != 0)
        return;
    int error = errno;
    int copy = os_keep(fd);
    kept[fd] = copy > 0 ? copy : 0;
    errno = error;
}

/* The program's own descriptor may have been closed and given to another file since. */
int descriptor_standard(int fd) {
    return kept[fd] ? kept[fd] : fd;
}
