/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In the place of server.c where libmicrohttpd was not there. */
#include "dump/serve/serve.h"

const bool serve_is_there = false;

bool serve_until(struct serving *serving, int socket, const sigset_t *signals, struct reason *why) {
    (void)serving, (void)socket, (void)signals;
    return reason_set(why, "was built without libmicrohttpd");
}
