/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The names and records of a process. */
#include "dump/process/names.h"

#include "base/elf_note.h"
#include "base/grow.h"
#include "base/hash.h"
#include "dump/profile/names.h"
#include "format.h"

#include <stddef.h>
#include <string.h>

struct remote_name {
    uint64_t address;
    profile_name name;
};

/* A field of a descriptor, and what it names. */
#define FOLLOW(type, address, member, value)                                                                 \
    ((value).member ? (address) + offsetof(type, member) + (uint64_t)(int64_t)(value).member : 0)

static bool is_known(const void *key, const void *context, size_t element) {
    const struct remote_names *names = context;
    return names->known[element].address == *(const uint64_t *)key;
}

static bool know(struct remote_names *names, uint64_t address, profile_name name) {
    if (!grow(&names->known, names->known_count, &names->room, sizeof *names->known) ||
        !hash_add(&names->index, hash_number(0, address), names->known_count))
        return false;
    names->known[names->known_count++] = (struct remote_name){address, name};
    return true;
}

/* NULL: not known yet. */
static const struct remote_name *find(const struct remote_names *names, uint64_t address) {
    size_t found = hash_find(&names->index, hash_number(0, address), is_known, &address, names);
    return found == HASH_NONE ? NULL : &names->known[found];
}

static bool add_text(struct remote_names *names, uint64_t address, profile_name *name) {
    const char *text = remote_text(names->memory, address);
    *name = 0;
    if (!text)
        names->unreadable++;
    return !names->memory->is_out_of_memory && name_write(&names->writer, text, name) &&
           know(names, address, *name);
}

/* Sets *name to the text at the address; to 0 for none. False: out of memory. */
static bool read_text(struct remote_names *names, uint64_t address, profile_name *name) {
    const struct remote_name *known = address ? find(names, address) : NULL;
    *name = known ? known->name : 0;
    return !address || known || add_text(names, address, name);
}

/* False: it is not there, and that is noted. Memory that is read again and again costs again and again. */
static bool peek(struct remote_names *names, uint64_t address, void *to, size_t size) {
    bool is_there = remote_spend(names->memory, size) && remote_peek(names->memory, address, to, size);
    names->unreadable += !is_there;
    return is_there;
}

static bool read_scope(struct remote_names *names, uint64_t address, profile_name *function,
                       profile_name *file) {
    struct allocsite_scope scope;
    *function = *file = 0;
    if (!address || !peek(names, address, &scope, sizeof scope))
        return !names->memory->is_out_of_memory;
    return read_text(names, FOLLOW(struct allocsite_scope, address, function, scope), function) &&
           read_text(names, FOLLOW(struct allocsite_scope, address, file, scope), file);
}

/* Callers are written before what they call, so that it can name them. */
static bool add_frame(struct remote_names *names, uint64_t address, const struct allocsite_frame *frame,
                      profile_name *name) {
    struct profile_frame written = {.line = frame->line, .column = frame->column, .caller = *name};
    return read_scope(names, FOLLOW(struct allocsite_frame, address, scope, *frame), &written.function,
                      &written.file) &&
           name_write_frame(&names->writer, &written, name) && know(names, address, *name);
}

/* Sets *name to the frame at the address, and has those around it written. A chain that is a circle, as none
 * of a program is, ends where it would be too long. */
static bool read_chain(struct remote_names *names, uint64_t address, profile_name *name) {
    uint64_t addresses[PROFILE_CHAIN_MAX];
    struct allocsite_frame frames[PROFILE_CHAIN_MAX];
    const struct remote_name *known = NULL;
    size_t count = 0;
    while (address && !known && count < PROFILE_CHAIN_MAX) {
        known = find(names, address);
        if (known || !peek(names, address, &frames[count], sizeof *frames))
            break;
        addresses[count] = address;
        address = FOLLOW(struct allocsite_frame, address, caller, frames[count]);
        count++;
    }
    *name = known ? known->name : 0;
    while (count--)
        if (!add_frame(names, addresses[count], &frames[count], name))
            return false;
    return !names->memory->is_out_of_memory;
}

static bool read_request(struct remote_names *names, uint64_t address, struct profile_record *record) {
    struct allocsite_request request;
    if (!address || !peek(names, address, &request, sizeof request))
        return !names->memory->is_out_of_memory;
    return read_text(names, FOLLOW(struct allocsite_request, address, callee, request), &record->callee) &&
           read_text(names, FOLLOW(struct allocsite_request, address, type, request), &record->type);
}

/* Slots of modules are read as they are; what no module has reads as no module. */
static uint32_t read_module_slot(struct remote_names *names, uint64_t module) {
    uint32_t slot = 0;
    peek(names, module + names->layout->module_slot, &slot, sizeof slot);
    return slot < PROFILE_SLOTS_MAX ? slot : 0;
}

static bool read_site(struct remote_names *names, uint64_t address, uint64_t module,
                      struct profile_record *record) {
    struct allocsite_site site;
    if (!peek(names, address, &site, sizeof site))
        return !names->memory->is_out_of_memory;
    *record = (struct profile_record){.id = site.hash,
                                      .module = read_module_slot(names, module),
                                      .line = site.line,
                                      .column = site.column,
                                      .address = site.kind & ALLOCSITE_OF_WRAPPER,
                                      .what = PROFILE_SITE};
    return read_scope(names, FOLLOW(struct allocsite_site, address, scope, site), &record->function,
                      &record->file) &&
           read_request(names, FOLLOW(struct allocsite_site, address, request, site), record) &&
           read_chain(names, FOLLOW(struct allocsite_site, address, caller, site), &record->inlined);
}

/* Paths are read once, and hashed for each record. */
static bool read_path(struct remote_names *names, uint64_t address, profile_name *name) {
    bool is_done = read_text(names, address, name);
    if (*name && !remote_spend(names->memory, strlen(names->writer.bytes + *name))) {
        names->unreadable++;
        *name = 0;
    }
    return is_done;
}

static bool read_module(struct remote_names *names, uint64_t address, uint32_t slot,
                        struct profile_record *record) {
    uint64_t path;
    char build_id[BUILD_ID_SIZE];
    if (!peek(names, address + names->layout->module_path, &path, sizeof path) ||
        !peek(names, address + names->layout->module_build_id, build_id, sizeof build_id))
        return !names->memory->is_out_of_memory;
    build_id[sizeof build_id - 1] = '\0';
    *record = (struct profile_record){.module = slot, .what = PROFILE_MODULE};
    if (!read_path(names, path, &record->file) ||
        !name_write(&names->writer, build_id[0] ? build_id : NULL, &record->build_id))
        return false;
    record->id = path_id(record->file ? names->writer.bytes + record->file : "");
    return true;
}

/* Paths that were read already are found again by their address. */
static bool read_caller(struct remote_names *names, uint64_t address, uint64_t module,
                        struct profile_record *record) {
    uint64_t path;
    char build_id[BUILD_ID_SIZE];
    profile_name name;
    record->module = read_module_slot(names, module);
    if (!peek(names, address + names->layout->record_address, &record->address, sizeof record->address) ||
        !peek(names, module + names->layout->module_path, &path, sizeof path) ||
        !peek(names, module + names->layout->module_build_id, build_id, sizeof build_id))
        return !names->memory->is_out_of_memory;
    build_id[sizeof build_id - 1] = '\0';
    if (!read_path(names, path, &name))
        return false;
    record->id = caller_id(build_id, name ? names->writer.bytes + name : "", record->address);
    return true;
}

static bool read_part(struct remote_names *names, uint64_t address, uint64_t module,
                      struct profile_record *record) {
    record->module = read_module_slot(names, module);
    return (peek(names, address + names->layout->record_parent, &record->parent, sizeof record->parent) &&
            peek(names, address + names->layout->record_stack, &record->stack, sizeof record->stack)) ||
           !names->memory->is_out_of_memory;
}

static bool read_record(struct remote_names *names, uint64_t address, uint32_t slot) {
    uint64_t site, module;
    uint32_t what;
    struct profile_record *record = &names->records[slot];
    if (!address || !peek(names, address + names->layout->record_site, &site, sizeof site) ||
        !peek(names, address + names->layout->record_what, &what, sizeof what) ||
        !peek(names, address + names->layout->record_module, &module, sizeof module) || !module)
        return !names->memory->is_out_of_memory;
    if (what == PROFILE_SITE)
        return read_site(names, site, module, record);
    if (what == PROFILE_MODULE)
        return read_module(names, module, slot, record);
    *record = (struct profile_record){.what = what};
    return what == PROFILE_CALLER ? read_caller(names, address, module, record)
                                  : read_part(names, address, module, record);
}

uint32_t remote_names_count(struct remote_memory *memory, const struct remote_root *root) {
    uint32_t count = remote_u32(memory, root->registry.record_count);
    return count <= memory->budget / sizeof(struct profile_record) ? count : 0;
}

bool remote_names_read(struct remote_names *names, struct remote_memory *memory,
                       const struct remote_root *root) {
    struct remote_table table;
    uint32_t count = remote_names_count(memory, root);
    names->memory = memory;
    names->layout = &root->root.layout;
    if (!count || !remote_table_read(&table, root, memory, root->registry.records)) {
        names->unreadable++;
        count = 0;
    }
    names->records = calloc((size_t)count + 1, sizeof *names->records);
    bool is_done = names->records != NULL;
    for (uint32_t slot = 1; is_done && slot < count; slot++) {
        is_done = read_record(names, remote_table_at(&table, slot), slot);
        if (is_done && names->records[slot].what)
            names->count = slot + 1;
    }
    return is_done;
}

void remote_names_free(struct remote_names *names) {
    name_writer_free(&names->writer);
    hash_free(&names->index);
    free(names->known);
    free(names->records);
}
