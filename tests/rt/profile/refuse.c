/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* refuse COMMAND...: runs the command without fallocate, as on some file systems. */
#include "../refuse_call.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int count, char **arguments) {
    refuse_call(SYS_fallocate, EOPNOTSUPP);
    if (count > 1)
        execv(arguments[1], arguments + 1);
    return 127;
}
