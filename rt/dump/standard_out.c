/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The standard output of a command. */
#include "standard_out.h"
#include "command.h"

#include <string.h>
#include <unistd.h>

static struct out out;

struct out *standard_out(void) {
    static char buffer[1 << 16];
    out_open(&out, STDOUT_FILENO, buffer, sizeof buffer);
    return &out;
}

int standard_out_end(void) {
    int error = out_flush(&out);
    if (error)
        complain("standard output", "%s", strerror(error));
    return error ? STATUS_FAILED : STATUS_DONE;
}
