/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A thread is cancelled while it writes a report to a pipe that nothing reads. */
#include <allocsite.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int ends[2];

static void *report(void *unused) {
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    allocsite_report_fd(ends[1], "json");
    return unused;
}

int main(void) {
    pthread_t thread;
    if (pipe(ends) != 0 || fcntl(ends[1], F_SETFL, O_NONBLOCK) != 0)
        return 4;
    while (write(ends[1], "", 1) == 1)
        continue;
    fcntl(ends[1], F_SETFL, 0);
    free(malloc(100));
    pthread_create(&thread, NULL, report, NULL);
    usleep(200000);
    pthread_cancel(thread);
    void *result;
    pthread_join(thread, &result);
    return result == PTHREAD_CANCELED ? allocsite_report("second.json", "json") : 5;
}
