/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Behaviour when no slots are left. */
#include <cmocka.h>

#include "lib/base/state.h"
#include "lib/registry/modules.h"
#include "lib/registry/registry.h"

#include "lib/count/threads.h"
#include "lib/store/store.h"

static void slots_run_out(void **state) {
    (void)state;
    assert_true(slab_make(0, 0, 0, 0));
    struct record record = {.module = module_of("here"), .what = PROFILE_MODULE};
    uint32_t slot, last = 0;
    while ((slot = record_add(&record)) != NO_SLOT)
        last = slot;
    assert_int_equal(last, slots_most() - 2);
    assert_int_equal(record_count(), slots_most() - 1);
    assert_int_equal(record_add(&record), NO_SLOT);
    assert_int_equal(record_count(), slots_most() - 1);
    assert_true(gap_is_set(GAP_MEMORY));
    assert_non_null(record_at(last));
    assert_non_null(slab_hold(0, last, true));
    assert_in_range(slab_peek(0)->capacity, KEY(last), KEY(SLOT_OURS - 1) - 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(slots_run_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
