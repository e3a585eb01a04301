/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Compares the shadow table with a plain list of blocks. The addresses are invented; no test reads their
// memory, but a walk only looks at mapped memory.
#include "lib/heap/shadow.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

// An address for a block, with the distance to the next one.
struct place {
    uintptr_t at;
    uint64_t room;
    struct block block;
    uint32_t freed[2]; // slots of the small and the large block that were last freed here
    int visits;
};

#define PLACES 6000

static struct place places[PLACES];
static size_t place_count;

static uint64_t next_random(void) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 32;
}

// Distances as in real heaps: mostly small, a few up to any power of two.
static uint64_t random_room(bool giant) {
    static const uint64_t limits[] = {2, 8, 32, 64, 66, 200, 3000};
    if (giant)
        return (UINT64_C(1) << 32) - 16 + next_random() % 4 * 8 + (next_random() % 4 << 35);
    return 8 * (1 + next_random() % limits[next_random() % 7]);
}

static void add_places(uintptr_t start, size_t count, bool giant) {
    uintptr_t at = start;
    for (size_t i = 0; i < count; i++) {
        uint64_t room = random_room(giant);
        places[place_count++] = (struct place){.at = at, .room = room};
        /* Fails where memory is mapped already. */
        mmap((void *)(at & -UINT64_C(4096)), 4096, PROT_READ,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        at += room + next_random() % 2 * 8;
    }
}

// Addresses of typical heaps, and of the limits: of memory, of one table, of the address space.
static void set_up(void) {
    add_places(1 << 20, 500, false);
    add_places((UINT64_C(1) << 26) - 40000, 1000, false);
    add_places((UINT64_C(1) << 45) - 40000, 1000, false);
    add_places(0x555555559000 + 8, 1000, false);
    add_places(0x7ffff0000000, 1000, false);
    add_places((UINT64_C(1) << ADDRESS_BITS) - 4000000, 500, false);
    add_places(UINT64_C(1) << 44, 20, true);
}

static const void *address(const struct place *place) {
    return (const void *)place->at;
}

// A new block may use the cell of a freed one, which is then forgotten.
static bool cells_are_taken;

static void check_place(const struct place *place) {
    struct block block = shadow_find(address(place));
    assert_int_equal(block.state == BLOCK_LIVE, place->block.state == BLOCK_LIVE);
    assert_true(block.state == place->block.state || cells_are_taken);
    // The table does not know which of two freed blocks was freed later.
    if (block.state == BLOCK_FREED && !cells_are_taken)
        assert_true(block.slot == place->freed[0] || block.slot == place->freed[1]);
    if (block.state != BLOCK_LIVE)
        return;
    assert_int_equal(block.slot, place->block.slot);
    assert_int_equal(block.family, place->block.family);
    assert_int_equal(block.size, place->block.size);
}

// Half of the blocks fill their distance. The others have sizes near the borders between small, large and
// huge blocks, or any size.
static uint64_t random_size(uint64_t room) {
    uint64_t border = next_random() % 2 ? SHADOW_SMALL : UINT64_C(1) << 32;
    uint64_t size = next_random() % 2   ? room
                    : next_random() % 2 ? border - 2 + next_random() % 4
                                        : next_random();
    return size <= room ? size : next_random() % (room + 1);
}

static void change(struct place *place) {
    if (place->block.state == BLOCK_LIVE) {
        shadow_drop(address(place));
        place->block.state = BLOCK_FREED;
        place->freed[place->block.size >= SHADOW_SMALL] = place->block.slot;
        return;
    }
    place->block = (struct block){
        .size = random_size(place->room),
        .slot = 1 + next_random() % (SLOT_OURS - 1),
        .state = BLOCK_LIVE,
        .family = next_random() % 3,
    };
    assert_true(shadow_put(address(place), place->block.slot, place->block.family, place->block.size));
}

static int compare_addresses(const void *key, const void *element) {
    uintptr_t a = *(const uintptr_t *)key, b = ((const struct place *)element)->at;
    return (a > b) - (a < b);
}

static int compare_places(const void *a, const void *b) {
    return compare_addresses(&((const struct place *)a)->at, b);
}

static void visit(void *last, const void *p, const struct block *block) {
    uintptr_t at = (uintptr_t)p;
    struct place *place = bsearch(&at, places, place_count, sizeof *places, compare_addresses);
    assert_non_null(place);
    place->visits++;
    assert_int_equal(block->state, BLOCK_LIVE);
    assert_int_equal(block->size, place->block.size);
    assert_int_equal(block->slot, place->block.slot);
    assert_int_equal(block->family, place->block.family);
    if (at % 16 == 0 && !cells_are_taken) {
        assert_true(at > *(uintptr_t *)last);
        *(uintptr_t *)last = at;
    }
}

static bool nothing_is_other(uintptr_t begin, uintptr_t end) {
    (void)begin, (void)end;
    return false;
}

static void check_walk(void) {
    uintptr_t last = 0;
    assert_null(shadow_walk(visit, &last, nothing_is_other));
    for (size_t i = 0; i < place_count; i++) {
        assert_int_equal(places[i].visits, places[i].block.state == BLOCK_LIVE);
        places[i].visits = 0;
    }
}

// Sets whether two small blocks may share a cell, which glibc's never do.
static void expect_neighbours(bool expect) {
    cells_are_taken |= !expect;
    shadow.unfit = (shadow.unfit & ~SHADOW_HALF) | (expect ? SHADOW_HALF : 0);
}

static void check_changes(void) {
    for (int i = 0; i < 60000; i++) {
        struct place *place = &places[next_random() % place_count];
        change(place);
        check_place(place);
    }
    for (size_t i = 0; i < place_count; i++)
        check_place(&places[i]);
    check_walk();
}

static void keeps_entries(void **state) {
    (void)state;
    set_up();
    qsort(places, place_count, sizeof *places, compare_places);
    change(&places[0]);
    for (int round = 0; round < 3; round++) {
        expect_neighbours(round % 2 == 0);
        check_changes();
    }
    for (size_t i = 0; i < place_count; i++)
        if (places[i].block.state == BLOCK_LIVE)
            change(&places[i]);
    check_walk();
}

// Writes the cell without reading it first, like the hot path.
static void enter(const char *p, uint32_t slot, uint32_t size) {
    uint32_t entry;
    shadow_cell cell = shadow_encode(p, KEY(slot) + size, &entry);
    assert_true(shadow_fits(cell));
    *shadow_entry(cell) = entry;
}

static uint32_t read_value(const char *p) {
    uint32_t half;
    shadow_cell cell = shadow_find_cell(p, &half);
    return shadow_fits(cell) ? shadow_value(*shadow_entry(cell), half) : 0;
}

// A block in either half of a cell is found there and not in the other half, where an unknown block may have
// been before.
static void halves_of_a_cell(void **state) {
    (void)state;
    const char *cell = (const char *)(UINT64_C(6) << 40);
    expect_neighbours(false);
    for (uint32_t i = 0; i < 4; i++) {
        const char *p = cell + i % 2 * 16, *other = cell + (1 - i % 2) * 16;
        assert_true(shadow_put_apart(other, 40 + i, FAMILY_MALLOC, 8));
        enter(p, 7 + i, 100 + i);
        assert_int_equal(shadow_find(other).slot, 40 + i);
        shadow_drop(other);
        assert_int_equal(read_value(p), KEY(7 + i) + 100 + i);
        assert_true(read_value(other) & SHADOW_OTHER);
        assert_int_equal(shadow_find(p).slot, 7 + i);
        assert_int_not_equal(shadow_find(other).state, BLOCK_LIVE);
        assert_true(shadow_put(other, 70 + i, FAMILY_NEW, 16));
        assert_int_equal(shadow_find(p).slot, 7 + i);
        assert_int_equal(shadow_find(other).slot, 70 + i);
        shadow_drop(other);
        assert_int_equal(shadow_find(other).state, BLOCK_FREED);
        shadow_drop(p);
        assert_int_equal(shadow_find(p).state, BLOCK_FREED);
    }
    expect_neighbours(true);
    uint32_t half;
    const uint32_t *first = shadow_entry_any(shadow_find_cell(cell, &half));
    const uint32_t *second = shadow_entry_any(shadow_find_cell(cell + 16, &half));
    assert_true(shadow_fits(shadow_find_cell(cell, &half)) && first && second && first != second);
    assert_null(shadow_entry_any(shadow_find_cell(cell + 8, &half)));
}

// Entries in the cells after a huge block's start are no blocks, and are overwritten.
static void cells_of_a_giant(void **state) {
    (void)state;
    const char *giant = (const char *)(UINT64_C(3) << 43);
    const uint64_t size = (UINT64_C(1400) << 32) + 77;
    assert_true(shadow_put(giant, 5, FAMILY_NEW, size));
    for (ptrdiff_t at = 8; at < 4 * (ptrdiff_t)SHADOW_SMALL; at += 8)
        assert_int_equal(shadow_find(giant + at).state, BLOCK_NONE);
    assert_true(shadow_find(giant).size == size);
    shadow_drop(giant);
    for (int cell = 1; cell < 3; cell++)
        assert_true(shadow_put(giant + cell * (ptrdiff_t)SHADOW_SMALL, 6, FAMILY_MALLOC, SHADOW_SMALL));
    for (int cell = 1; cell < 3; cell++) {
        assert_int_equal(shadow_find(giant + cell * (ptrdiff_t)SHADOW_SMALL).slot, 6);
        shadow_drop(giant + cell * (ptrdiff_t)SHADOW_SMALL);
    }
}

// A small block in place of a large one, and vice versa.
static void changing_sizes(void **state) {
    (void)state;
    const char *p = (const char *)(UINT64_C(5) << 40) + 48;
    for (uint32_t i = 1; i < 100; i++) {
        uint64_t size = i % 2 ? 100 : 10000;
        assert_true(shadow_put(p, i, FAMILY_NEW_ARRAY, size));
        struct block block = shadow_find(p);
        assert_true(block.state == BLOCK_LIVE && block.slot == i && block.size == size &&
                    block.family == FAMILY_NEW_ARRAY);
        shadow_drop(p);
        assert_int_equal(shadow_find(p).state, BLOCK_FREED);
    }
}

static void no_addresses(void **state) {
    (void)state;
    const uintptr_t none[] = {0,
                              1,
                              4,
                              4097,
                              UINT64_C(1) << ADDRESS_BITS,
                              UINT64_C(0xdead000000000010),
                              UINTPTR_MAX,
                              UINTPTR_MAX - 15};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(shadow_find((const void *)none[i]).state, BLOCK_NONE);
    for (size_t i = 1; i < sizeof none / sizeof *none; i++)
        assert_false(shadow_put((const void *)none[i], 1, FAMILY_MALLOC, 10));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_addresses),     cmocka_unit_test(keeps_entries),
        cmocka_unit_test(halves_of_a_cell), cmocka_unit_test(cells_of_a_giant),
        cmocka_unit_test(changing_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
