/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The C library's malloc, found without the functions that look up symbols, hands out blocks that were freed
 * before: reused CACHED. CACHED blocks of the size fill the thread's cache, so that later ones go to a list
 * of the arena. */
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *give(size_t);

static ElfW(Addr) entry(const ElfW(Dyn) * dynamic, ElfW(Sxword) tag) {
    while (dynamic->d_tag != tag)
        dynamic++;
    return dynamic->d_un.d_ptr;
}

static give *hidden_malloc(void) {
    const struct link_map *map = _r_debug.r_map;
    while (!strstr(map->l_name, "libc.so.6"))
        map = map->l_next;
    const ElfW(Sym) *symbol = (const ElfW(Sym) *)entry(map->l_ld, DT_SYMTAB);
    const char *names = (const char *)entry(map->l_ld, DT_STRTAB);
    while (strcmp(names + symbol->st_name, "malloc") != 0)
        symbol++;
    return (give *)(map->l_addr + symbol->st_value);
}

int main(int argc, char **argv) {
    give *unseen = hidden_malloc();
    int cached = argc > 1 ? atoi(argv[1]) : 0;
    void *filler[7], *volatile block = malloc(40), *volatile wall = malloc(40);
    for (int i = 0; i < cached; i++)
        filler[i] = malloc(40);
    for (int i = 0; i < cached; i++)
        free(filler[i]);
    free(block);
    for (int i = 0; i < cached; i++)
        filler[i] = malloc(40);
    void *volatile again = unseen(40);
    puts(again == block ? "reused" : "elsewhere");
    for (int i = 0; i < cached; i++)
        free(filler[i]);
    free(again);
    free(wall);
    return 3;
}
