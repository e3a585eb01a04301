/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files mapped to be read while a program may be changing them. */
#include "profile_map.h"

#include "../profile.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

/* The one that the handler knows. */
static struct profile_map current;
static volatile sig_atomic_t was_cut;

/* Zeros instead of a jump out of the reading: so nothing that reads needs to be ready for one. */
static void put_zeros(int signal_number, siginfo_t *info, void *context) {
    (void)context;
    char *page = (char *)((uintptr_t)info->si_addr & -(uintptr_t)PROFILE_PAGE), *bytes = current.bytes;
    bool is_ours = bytes && page >= bytes && page < bytes + current.size;
    if (is_ours &&
        mmap(page, PROFILE_PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page)
        was_cut = 1;
    else
        signal(signal_number, SIG_DFL); /* and it comes again */
}

bool profile_map(struct profile_map *map, int fd, size_t size, struct reason *why) {
    struct sigaction action = {.sa_sigaction = put_zeros, .sa_flags = SA_SIGINFO};
    void *bytes = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED)
        return reason_set(why, "%s", strerror(errno));
    *map = current = (struct profile_map){bytes, size};
    was_cut = 0;
    sigaction(SIGBUS, &action, NULL);
    return true;
}

bool profile_map_was_cut(void) {
    return was_cut;
}

void profile_unmap(struct profile_map *map) {
    munmap(map->bytes, map->size);
    current = (struct profile_map){0};
}
