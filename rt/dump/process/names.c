/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The names and records of a process. */
#include "dump/process/memory.h"

#include "base/elf_note.h"
#include "base/hash.h"
#include "dump/base/memory.h"
#include "dump/profile/views.h"
#include "format.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A field of a descriptor, and what it names. */
#define FOLLOW(type, address, member, value)                                                                 \
    ((value).member ? (address) + offsetof(type, member) + (uint64_t)(int64_t)(value).member : 0)

/* The name of the text at the address; 0 for none. */
static profile_name read_text(struct remote_names *names, uint64_t address) {
    const uint64_t *known = number_map_find(&names->known, address);
    if (!address || known)
        return known ? (profile_name)*known : 0;
    const char *text = remote_text(names->memory, address);
    profile_name name = name_write(&names->writer, text);
    names->unreadable += !text;
    number_map_add(&names->known, address, name);
    return name;
}

/* False: it is not there, and that is noted. Memory that is read again and again costs again and again. */
static bool peek(struct remote_names *names, uint64_t address, void *to, size_t size) {
    bool is_there = remote_spend(names->memory, size) && remote_peek(names->memory, address, to, size);
    names->unreadable += !is_there;
    return is_there;
}

static void read_scope(struct remote_names *names, uint64_t address, profile_name *function,
                       profile_name *file) {
    struct allocsite_scope scope;
    *function = *file = 0;
    if (!address || !peek(names, address, &scope, sizeof scope))
        return;
    *function = read_text(names, FOLLOW(struct allocsite_scope, address, function, scope));
    *file = read_text(names, FOLLOW(struct allocsite_scope, address, file, scope));
}

/* Callers are written before what they call, so that it can name them. */
static profile_name add_frame(struct remote_names *names, uint64_t address,
                              const struct allocsite_frame *frame, profile_name caller) {
    struct profile_frame written = {.line = frame->line, .column = frame->column, .caller = caller};
    read_scope(names, FOLLOW(struct allocsite_frame, address, scope, *frame), &written.function,
               &written.file);
    profile_name name = name_write_frame(&names->writer, &written);
    number_map_add(&names->known, address, name);
    return name;
}

/* The name of the frame at the address; has those around it written. A chain that is a circle, as none of a
 * program is, ends where it would be too long. */
static profile_name read_chain(struct remote_names *names, uint64_t address) {
    uint64_t addresses[PROFILE_CHAIN_MAX];
    struct allocsite_frame frames[PROFILE_CHAIN_MAX];
    const uint64_t *known = NULL;
    size_t count = 0;
    while (address && count < PROFILE_CHAIN_MAX && !(known = number_map_find(&names->known, address)) &&
           peek(names, address, &frames[count], sizeof *frames)) {
        addresses[count] = address;
        address = FOLLOW(struct allocsite_frame, address, caller, frames[count]);
        count++;
    }
    profile_name name = known ? (profile_name)*known : 0;
    while (count--)
        name = add_frame(names, addresses[count], &frames[count], name);
    return name;
}

static void read_request(struct remote_names *names, uint64_t address, struct profile_record *record) {
    struct allocsite_request request;
    if (!address || !peek(names, address, &request, sizeof request))
        return;
    record->callee = read_text(names, FOLLOW(struct allocsite_request, address, callee, request));
    record->type = read_text(names, FOLLOW(struct allocsite_request, address, type, request));
}

/* Slots of modules are read as they are; what no module has reads as no module. */
static uint32_t read_module_slot(struct remote_names *names, uint64_t module) {
    uint32_t slot = 0;
    peek(names, module + names->layout->module_slot, &slot, sizeof slot);
    return slot < PROFILE_SLOTS_MAX ? slot : 0;
}

static void read_site(struct remote_names *names, uint64_t address, uint64_t module,
                      struct profile_record *record) {
    struct allocsite_site site, leader = {0};
    if (!peek(names, address, &site, sizeof site))
        return;
    uint32_t back = allocsite_to_leader(&site);
    if (back && !peek(names, address - back * sizeof leader, &leader, sizeof leader))
        return;
    struct allocsite_refs refs = allocsite_refs_of(&site, &leader);
    *record = (struct profile_record){.id = site.hash,
                                      .module = read_module_slot(names, module),
                                      .line = site.line,
                                      .column = site.column,
                                      .address = site.kind & ALLOCSITE_OF_WRAPPER,
                                      .what = PROFILE_SITE};
    read_scope(names, FOLLOW(struct allocsite_site, address, scope, refs), &record->function, &record->file);
    read_request(names, FOLLOW(struct allocsite_site, address, request, refs), record);
    record->inlined = read_chain(names, FOLLOW(struct allocsite_site, address, caller, refs));
}

/* A path, which is read once and hashed for each record, and the build id. False: they are not there. */
static bool read_file(struct remote_names *names, uint64_t module, profile_name *path,
                      char build_id[BUILD_ID_SIZE]) {
    uint64_t address;
    if (!peek(names, module + names->layout->module_path, &address, sizeof address) ||
        !peek(names, module + names->layout->module_build_id, build_id, BUILD_ID_SIZE))
        return false;
    build_id[BUILD_ID_SIZE - 1] = '\0';
    *path = read_text(names, address);
    if (*path && !remote_spend(names->memory, strlen(names->writer.bytes + *path))) {
        names->unreadable++;
        *path = 0;
    }
    return true;
}

static const char *text_of(const struct remote_names *names, profile_name name) {
    return name ? names->writer.bytes + name : "";
}

static void read_module(struct remote_names *names, uint64_t address, uint32_t slot,
                        struct profile_record *record) {
    profile_name path;
    char build_id[BUILD_ID_SIZE];
    if (!read_file(names, address, &path, build_id))
        return;
    *record = (struct profile_record){.module = slot, .what = PROFILE_MODULE, .file = path};
    record->build_id = name_write(&names->writer, build_id[0] ? build_id : NULL);
    record->id = path_id(text_of(names, path));
}

/* Paths that were read already are found again by their address. */
static void read_caller(struct remote_names *names, uint64_t address, uint64_t module,
                        struct profile_record *record) {
    profile_name path;
    char build_id[BUILD_ID_SIZE];
    record->module = read_module_slot(names, module);
    if (peek(names, address + names->layout->record_address, &record->address, sizeof record->address) &&
        read_file(names, module, &path, build_id))
        record->id = caller_id(build_id, text_of(names, path), record->address);
}

static void read_backing(struct remote_names *names, uint64_t address, uint64_t module,
                         struct profile_record *record) {
    record->module = read_module_slot(names, module);
    peek(names, address + names->layout->record_parent, &record->parent, sizeof record->parent);
}

static void read_record(struct remote_names *names, uint64_t address, uint32_t slot) {
    uint64_t site, module;
    uint32_t what;
    struct profile_record *record = &names->records[slot];
    if (!address || !peek(names, address + names->layout->record_site, &site, sizeof site) ||
        !peek(names, address + names->layout->record_what, &what, sizeof what) ||
        !peek(names, address + names->layout->record_module, &module, sizeof module) || !module)
        return;
    if (what == PROFILE_SITE) {
        read_site(names, site, module, record);
        return;
    }
    if (what == PROFILE_MODULE) {
        read_module(names, module, slot, record);
        return;
    }
    *record = (struct profile_record){.what = what};
    (what == PROFILE_CALLER ? read_caller : read_backing)(names, address, module, record);
}

struct registry {
    struct remote_table slots, records;
};

static void read_slot(struct remote_names *names, const struct registry *registry, uint32_t slot) {
    uint64_t address = remote_table_at(&registry->slots, slot);
    uint32_t parent, stack;
    if (!address || !peek(names, address + names->layout->slot_parent, &parent, sizeof parent) ||
        !peek(names, address + names->layout->slot_stack, &stack, sizeof stack) || !(parent | stack))
        return;
    if (parent)
        names->records[slot] =
            (struct profile_record){.what = PROFILE_STACK, .parent = parent, .stack = stack};
    else
        read_record(names, remote_table_at(&registry->records, stack), slot);
}

/* What a stack is a part of comes before it. */
static void read_module_of_stack(struct remote_names *names, uint32_t slot) {
    struct profile_record *record = &names->records[slot];
    if (record->what == PROFILE_STACK && record->parent < slot)
        record->module = names->records[record->parent].module;
}

/* How many records there are, but no more than the process can have. */
static uint32_t count_records(struct remote_memory *memory, const struct remote_root *root) {
    uint32_t count = remote_u32(memory, root->registry.slot_count);
    return count <= memory->budget / sizeof(struct profile_record) ? count : 0;
}

void remote_names_read(struct remote_names *names, struct remote_memory *memory,
                       const struct remote_root *root) {
    struct registry registry;
    uint32_t count = count_records(memory, root);
    names->memory = memory;
    names->layout = &root->root.layout;
    if (!count || !remote_table_read(&registry.slots, root, memory, root->registry.slots) ||
        !remote_table_read(&registry.records, root, memory, root->registry.records)) {
        names->unreadable++;
        count = 0;
    }
    names->records = memory_zeros(count, sizeof *names->records);
    for (uint32_t slot = 1; slot < count; slot++) {
        read_slot(names, &registry, slot);
        read_module_of_stack(names, slot);
        if (names->records[slot].what)
            names->count = slot + 1;
    }
}

void remote_names_free(struct remote_names *names) {
    name_writer_free(&names->writer);
    number_map_free(&names->known);
    free(names->records);
}
