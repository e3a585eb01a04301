/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* placed HOW: ends next to other processes with the same path for their reports. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int main(int count, char **arguments) {
    const char *how = count > 1 ? arguments[1] : "alone";
    free(malloc(100));
    if (strcmp(how, "fork") == 0 && fork() == 0)
        return 0;
    if (strcmp(how, "spawn") == 0) {
        pid_t child;
        char *const again[] = {arguments[0], (char *)"alone", NULL};
        posix_spawn(&child, arguments[0], NULL, NULL, again, environ);
    }
    if (strcmp(how, "move") == 0 && chdir("/") != 0)
        return 1;
    if (strcmp(how, "make") == 0)
        mkdir("made", 0777);
    if (strcmp(how, "prints") == 0)
        puts("printed");
    while (wait(NULL) > 0)
        ;
    return 0;
}
