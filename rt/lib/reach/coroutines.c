/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finding the stacks of suspended coroutines. */
#include "lib/reach/still.h"

#include "lib/base/os.h"

#include <stdint.h>

/* A switch of contexts leaves the return address just below the stack pointer that it keeps (swapcontext), or
 * above it, behind the registers that it has pushed. */
enum { BELOW = 8, ABOVE = 16 * 8 };

/* A word that lies lower in a larger mapping is no stack pointer. */
#define STACK_MOST ((uintptr_t)256 << 20)

bool coroutines_begin(struct blocks *blocks, const struct still *still) {
    blocks->still = still;
    blocks->coroutines = os_map(COROUTINES_MOST * sizeof *blocks->coroutines, OS_FORK_KEEPS);
    return blocks->coroutines;
}

void coroutines_release(struct blocks *blocks) {
    if (blocks->coroutines)
        os_unmap(blocks->coroutines, COROUTINES_MOST * sizeof *blocks->coroutines);
    blocks->coroutines = NULL;
}

static bool is_in_module(const struct modules_data *modules, uintptr_t address) {
    for (size_t i = 0; i < modules->data_count; i++)
        if (modules->data[i].whole.begin <= address && address < modules->data[i].whole.end)
            return true;
    return false;
}

/* Behind a call: of an address, or by a register or memory. */
static bool is_return_address(const struct blocks *blocks, const struct maps *maps, uintptr_t address) {
    const uint8_t *at = (const uint8_t *)address;
    if (!is_in_module(&blocks->still->modules, address) || maps_at(maps, address).begin + 8 > address)
        return false;
    for (int size = 2; size <= 7; size++)
        if (at[-size] == 0xFF && (at[1 - size] >> 3 & 7) == 2)
            return true;
    return at[-5] == 0xE8;
}

static bool is_stack_pointer(const struct blocks *blocks, const struct maps *maps, struct span mapping,
                             uintptr_t word) {
    if (word % 8 || mapping.end - word > STACK_MOST)
        return false;
    uintptr_t at = word - BELOW < mapping.begin ? word : word - BELOW;
    for (; at < word + ABOVE && at < mapping.end; at += 8)
        if (is_return_address(blocks, maps, *(const uintptr_t *)at))
            return true;
    return false;
}

static bool has(struct span mapping, uintptr_t sp, uintptr_t tp) {
    return (mapping.begin <= sp && sp < mapping.end) || (mapping.begin <= tp && tp < mapping.end);
}

/* It is searched as that of a thread, of whose dead part there are stale stack pointers. */
static bool is_of_thread(const struct still *still, struct span mapping) {
    const struct stop *stop = &still->stop;
    bool is = has(mapping, still->caller.sp, still->caller.tp);
    for (uint32_t i = 0; i < stop->count && !is; i++)
        is = has(mapping, stop->registers[i].sp, stop->registers[i].tp);
    return is;
}

static struct coroutine *coroutine_at(struct blocks *blocks, struct span mapping) {
    for (uint32_t i = 0; i < blocks->coroutine_count; i++)
        if (blocks->coroutines[i].end == mapping.end)
            return &blocks->coroutines[i];
    if (blocks->coroutine_count == COROUTINES_MOST || is_of_thread(blocks->still, mapping))
        return NULL;
    struct coroutine *fresh = &blocks->coroutines[blocks->coroutine_count++];
    *fresh = (struct coroutine){mapping.end, mapping.end, mapping.end};
    return fresh;
}

void coroutines_see(struct blocks *blocks, const struct maps *maps, uintptr_t word) {
    if (word - blocks->passed_over.begin < blocks->passed_over.end - blocks->passed_over.begin)
        return;
    struct span mapping = maps_anonymous_at(maps, word);
    if (!mapping.end)
        blocks->passed_over = maps_at(maps, word);
    if (!mapping.end || !is_stack_pointer(blocks, maps, mapping, word))
        return;
    struct coroutine *coroutine = coroutine_at(blocks, mapping);
    if (!coroutine || word - BELOW >= coroutine->from)
        return;
    coroutine->from = word - BELOW < mapping.begin ? mapping.begin : word - BELOW;
    blocks->coroutines_pending = true;
}
