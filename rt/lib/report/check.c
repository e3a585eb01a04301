/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Allocations within a region of code, for tests. */
#include "base/arrays.h"
#include "base/out.h"
#include "lib/allocsite.h"
#include "lib/base/macros.h"
#include "lib/base/os.h"
#include "lib/base/slot.h"
#include "lib/base/state.h"
#include "lib/count/threads.h"
#include "lib/registry/descriptor.h"
#include "lib/registry/registry.h"
#include "model/site.h"

#include <errno.h>
#include <unistd.h>

/* See run/start.c. */
extern const char check_is_linked;
const char check_is_linked = 1;

/* A slot's allocations by this thread, before the region or within it. */
struct allocated {
    uint64_t calls, bytes;
    uint32_t slot;
};

struct snapshot {
    uintptr_t seal; /* snapshot_seal(); a wrong value means that the region was not begun */
    pid_t pid;      /* a forked child counts from zero */
    uint32_t slots;
    struct allocated by_slot[];
};

static uintptr_t snapshot_seal(const struct snapshot *snapshot) {
    return (uintptr_t)snapshot ^ 0x5A2D6E1B93C74F08;
}

static void snapshot_add_slab(void *context, const struct slab *slab) {
    struct snapshot *snapshot = context;
    for (uint32_t slot = 1; KEY(slot) < slab->capacity && slot < snapshot->slots; slot++) {
        if (!slot_is_in_totals(slot))
            continue;
        struct allocated *row = &snapshot->by_slot[slot_row(slot)];
        row->calls += slab->tallies[slot].allocated;
        row->bytes += slab->tallies[slot].allocated_bytes;
    }
}

static struct snapshot *snapshot_take(size_t *size) {
    uint32_t slots = record_count();
    *size = sizeof(struct snapshot) + slots * sizeof(struct allocated);
    struct snapshot *snapshot = os_map(*size, OS_FORK_KEEPS);
    if (!snapshot)
        return NULL;
    snapshot->seal = snapshot_seal(snapshot);
    snapshot->slots = slots;
    snapshot->pid = os_process();
    thread_keep_slab();
    thread_visit_slabs(snapshot_add_slab, snapshot);
    return snapshot;
}

ALLOCSITE_EXPORT int __allocsite_api_v1_check_begin(struct allocsite_check *check) {
    int error = errno;
    if (!check)
        return EINVAL;
    runtime_start();
    bool is_off = runtime_off || runtime_is_asleep();
    check->state = is_off ? NULL : snapshot_take(&check->size);
    errno = error;
    return check->state ? 0 : is_off ? ENOSYS : ENOMEM;
}

/* Leaves the difference, sorted so that only slots with calls remain. Returns the number of calls. */
static uint64_t snapshot_subtract(struct snapshot *now, const struct snapshot *before, uint32_t *sites) {
    uint64_t calls = 0;
    *sites = 0;
    for (uint32_t slot = 1; slot < now->slots; slot++) {
        struct allocated *allocated = &now->by_slot[slot], none = {0};
        bool is_known = slot < before->slots && before->pid == now->pid;
        const struct allocated *then = is_known ? &before->by_slot[slot] : &none;
        struct allocated since = {allocated->calls - then->calls, allocated->bytes - then->bytes, slot};
        calls += since.calls;
        if (since.calls)
            now->by_slot[(*sites)++] = since;
    }
    return calls;
}

static int allocated_compare(const void *left, const void *right) {
    const struct allocated *a = left, *b = right;
    return (a->calls < b->calls) - (a->calls > b->calls);
}

static void write_unsited(struct out *out, const struct record *record) {
    out_text(out, "unsited in ");
    out_plain(out, record ? record->module->path : NULL);
    if (!record || !record->address)
        return;
    out_text(out, "+0x");
    out_hex(out, record->address);
}

static void write_site(struct out *out, uint32_t slot) {
    const struct record *record = record_at(slot);
    if (!record || !record->site) {
        write_unsited(out, record);
        return;
    }
    struct place place = descriptor_at(record->site);
    out_plain(out, place.function);
    out_char(out, ' ');
    out_plain(out, place.file);
    for (int i = 0; i < 2; i++) {
        out_char(out, ':');
        out_u64(out, i ? place.column : place.line);
    }
    out_char(out, ' ');
    out_plain(out, descriptor_request(record->site, false));
}

static void write_sites(struct out *out, const struct allocated *allocated, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        out_u64(out, allocated[i].calls);
        out_text(out, " of ");
        out_u64(out, allocated[i].bytes);
        out_text(out, " B  ");
        write_site(out, allocated[i].slot);
        out_char(out, '\n');
    }
}

/* Returns NULL if the region was not begun; its struct may then have any content. */
static struct snapshot *snapshot_of(const struct allocsite_check *check) {
    struct snapshot *snapshot = check ? check->state : NULL;
    bool is_begun = snapshot && os_can_read(&snapshot->seal) && snapshot->seal == snapshot_seal(snapshot);
    return is_begun ? snapshot : NULL;
}

ALLOCSITE_EXPORT size_t __allocsite_api_v1_check_end(struct allocsite_check *check, char *text, size_t size) {
    struct snapshot *before = snapshot_of(check);
    int error = errno;
    size_t now_size;
    struct snapshot *now = before ? snapshot_take(&now_size) : NULL;
    uint64_t calls = 0;
    if (now) {
        uint32_t sites;
        calls = snapshot_subtract(now, before, &sites);
        sort_array(now->by_slot, sites, sizeof *now->by_slot, allocated_compare);
        if (text && size > 1) {
            struct out out;
            out_open_memory(&out, text, size);
            write_sites(&out, now->by_slot, sites);
        }
        os_unmap(now, now_size);
    }
    if (before) {
        os_unmap(before, check->size);
        check->state = NULL;
    }
    errno = error;
    return calls;
}
