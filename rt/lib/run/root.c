/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where allocsite-dump finds, in the memory of the process, what is counted. */
#include "lib/base/local.h"
#include "lib/base/root_parts.h"
#include "lib/base/table.h"
#include "lib/store/store.h"
#include "lib/who/modules.h"
#include "lib/who/registry.h"
#include "model/options.h"

#ifdef ALLOCSITE_STATIC
#define FLAGS ROOT_IS_STATIC
#else
#define FLAGS 0
#endif

/* Named in collect/copies.c, by the note. */
extern const struct root allocsite_root;

const struct root allocsite_root = {
    .version = ROOT_VERSION,
    .flags = FLAGS,
    .profile_version = PROFILE_VERSION,
    .format_version = ALLOCSITE_FORMAT_VERSION,
    .store = &root_store,
    .registry = &root_registry,
    .start = &root_start,
    .control = &root_control,
    .heap = &root_heap,
    .layout =
        {
            .table_element = offsetof(struct table, element),
            .table_first = offsetof(struct table, first),
            .table_chunks = offsetof(struct table, chunks),
            .area_kind = offsetof(struct store_area, kind),
            .area_index = offsetof(struct store_area, index),
            .area_first = offsetof(struct store_area, first),
            .area_size = offsetof(struct store_area, size),
            .area_address = offsetof(struct store_area, address),
            .record_site = offsetof(struct record, site),
            .record_module = offsetof(struct record, module),
            .record_what = offsetof(struct record, what),
            .record_parent = offsetof(struct record, parent),
            .record_stack = offsetof(struct record, stack),
            .record_address = offsetof(struct record, address),
            .module_slot = offsetof(struct module, slot),
            .module_path = offsetof(struct module, path),
            .module_build_id = offsetof(struct module, build_id),
            .option_enabled = offsetof(struct options, enabled),
            .option_pairs = offsetof(struct options, pairs),
            .option_sizes = offsetof(struct options, sizes),
            .option_lifetime = offsetof(struct options, lifetime),
            .thread_capacity = offsetof(struct thread, capacity),
        },
};

_Static_assert(TABLE_CHUNKS == ROOT_CHUNKS, "readers look at so many");
