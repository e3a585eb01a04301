/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Return addresses are not cached while a module is being unloaded, because another module may soon have
 * them. */
#include <cmocka.h>

#include "lib/registry/callers.h"
#include "lib/registry/modules.h"
#include "lib/walk/rule.h"
#include "lib/walk/walk.h"

static void look_at_addresses(void) {
    const void *frames[8];
    enum walk_end end;
    assert_int_not_equal(caller_key((const char *)(uintptr_t)look_at_addresses + 1), ALLOCSITE_KEY_NONE);
    assert_in_range(walk_stack(frames, 8, &end), 2, 8);
}

static unsigned kept(void) {
    unsigned count = 0;
    for (size_t i = 0; i < CALLER_CACHE_SIZE; i++)
        count += caller_cache[i] != 0;
    for (size_t i = 0; i < sizeof rule_table / sizeof *rule_table; i++)
        count += rule_table[i] != 0;
    return count;
}

static void nothing_is_kept_while_a_module_goes(void **state) {
    (void)state;
    look_at_addresses();
    assert_in_range(kept(), 2, 100);
    unload_begin();
    assert_int_equal(kept(), 0);
    look_at_addresses();
    assert_int_equal(kept(), 0);
    unload_begin(); /* called by another module's destructors or by another thread */
    look_at_addresses();
    unload_end();
    look_at_addresses();
    assert_int_equal(kept(), 0);
    unload_end();
    look_at_addresses();
    assert_in_range(kept(), 2, 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_kept_while_a_module_goes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
