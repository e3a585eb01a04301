/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a sanitizer that serves the heap tells: blocks that go without passing a site, and its own end of the
 * process. Both are told to it before it has set itself up, which it allows. */
#include "lib/run/sanitized.h"

#include "lib/heap/shadow.h"
#include "lib/own/own.h"
#include "lib/tell/exit.h"

extern int install_hooks(void (*)(const volatile void *, size_t),
                         void (*)(const volatile void *)) __asm__("__sanitizer_install_malloc_and_free_hooks")
    __attribute__((weak));
extern void set_death_callback(void (*)(void)) __asm__("__sanitizer_set_death_callback")
    __attribute__((weak));

static void ignore(const volatile void *p, size_t size) {
    (void)p;
    (void)size;
}

/* A free that passed a site has taken the block out before. */
static void see_free(const volatile void *p) {
    if (shadow_find((const void *)p).state == BLOCK_LIVE)
        own_free((void *)p, (struct origin){.site = NULL}, FAMILY_ANY);
}

void sanitized_begin(void) {
    if (install_hooks)
        install_hooks(ignore, see_free);
    if (set_death_callback)
        set_death_callback(exit_now);
}
