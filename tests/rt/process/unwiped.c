/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* unwiped ERROR PROGRAM...: executes the program with a madvise(MADV_WIPEONFORK) that does nothing and fails with
 * ERROR; 0: it claims success, as emulators do. */
#include "../refuse_call.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int count, char **arguments) {
    (void)count;
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MADV_WIPEONFORK, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)atoi(arguments[1])),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        return 77;
    execv(arguments[2], arguments + 2);
    return 1;
}
