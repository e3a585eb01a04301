/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compares and copies descriptors of sites. */
#include "lib/registry/descriptor.h"

#include "lib/base/os.h"

#include <string.h>

static struct place place_of(const void *named, uint32_t line, uint32_t column) {
    const struct allocsite_scope *scope = (const struct allocsite_scope *)named;
    struct place place = {.line = line, .column = column};
    if (scope) {
        place.function = (const char *)descriptor_follow(&scope->function);
        place.file = (const char *)descriptor_follow(&scope->file);
    }
    return place;
}

struct place descriptor_place(const struct allocsite_frame *frame) {
    return place_of(descriptor_follow(&frame->scope), frame->line, frame->column);
}

static struct allocsite_refs refs_of(const struct allocsite_site *site) {
    return allocsite_refs_of(site, site - allocsite_to_leader(site));
}

static const void *referred_by(const allocsite_ref *field, allocsite_ref ref) {
    return ref ? (const char *)field + ref : NULL;
}

struct place descriptor_at(const struct allocsite_site *site) {
    return place_of(referred_by(&site->scope, refs_of(site).scope), site->line, site->column);
}

const struct allocsite_frame *descriptor_caller(const struct allocsite_site *site) {
    return (const struct allocsite_frame *)referred_by(&site->caller, refs_of(site).caller);
}

const char *descriptor_request(const struct allocsite_site *site, bool type) {
    const struct allocsite_request *request =
        (const struct allocsite_request *)referred_by(&site->request, refs_of(site).request);
    if (!request)
        return NULL;
    return (const char *)descriptor_follow(type ? &request->type : &request->callee);
}

static bool same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

struct site_view descriptor_view(const struct allocsite_site *site, const char *module, struct place *inlined,
                                 size_t capacity) {
    struct site_view view = {
        .id = site->hash,
        .module = module,
        .sited = true,
        .at = descriptor_at(site),
        .callee = descriptor_request(site, false),
        .type = descriptor_request(site, true),
        .inlined = inlined,
    };
    for (const struct allocsite_frame *frame = descriptor_caller(site);
         frame && view.inlined_count < capacity; frame = descriptor_frame(&frame->caller))
        inlined[view.inlined_count++] = descriptor_place(frame);
    return view;
}

bool descriptor_same(const struct allocsite_site *a, const struct allocsite_site *b) {
    if (a->hash != b->hash || a->line != b->line || a->column != b->column)
        return false;
    struct place at = descriptor_at(a);
    struct place bt = descriptor_at(b);
    return same_text(at.function, bt.function) && same_text(at.file, bt.file) &&
           same_text(descriptor_request(a, false), descriptor_request(b, false));
}

/* Hands out memory from base on. With base NULL it only measures. */
struct writer {
    char *base;
    size_t used;
};

static void *writer_take(struct writer *writer, allocsite_ref *field, size_t size, size_t align) {
    writer->used = (writer->used + align - 1) & ~(align - 1);
    char *at = writer->base ? writer->base + writer->used : NULL;
    writer->used += size;
    if (at && field)
        *field = (allocsite_ref)(at - (char *)field);
    return at;
}

static void copy_text(struct writer *writer, allocsite_ref *field, const char *text) {
    if (!text)
        return;
    size_t size = strlen(text) + 1;
    char *at = writer_take(writer, field, size, 1);
    if (at)
        memcpy(at, text, size);
}

static void copy_scope(struct writer *writer, allocsite_ref *field, struct place place) {
    struct allocsite_scope *scope = writer_take(writer, field, sizeof *scope, 4);
    copy_text(writer, scope ? &scope->function : NULL, place.function);
    copy_text(writer, scope ? &scope->file : NULL, place.file);
}

static void copy_request(struct writer *writer, allocsite_ref *field, const struct allocsite_site *site) {
    struct allocsite_request *request = writer_take(writer, field, sizeof *request, 4);
    copy_text(writer, request ? &request->callee : NULL, descriptor_request(site, false));
    copy_text(writer, request ? &request->type : NULL, descriptor_request(site, true));
}

static void copy_frames(struct writer *writer, allocsite_ref *field, const struct allocsite_frame *from) {
    for (; from; from = descriptor_frame(&from->caller)) {
        struct allocsite_frame *frame = writer_take(writer, field, sizeof *frame, 4);
        if (frame) {
            frame->line = from->line;
            frame->column = from->column;
        }
        copy_scope(writer, frame ? &frame->scope : NULL, descriptor_place(from));
        field = frame ? &frame->caller : NULL;
    }
}

/* memory must be zeroed: references that are not set are then null. */
static struct allocsite_site *copy_site(struct writer *writer, const struct allocsite_site *from) {
    struct allocsite_site *site = writer_take(writer, NULL, sizeof *site, 8);
    if (site)
        *site = (struct allocsite_site){.hash = from->hash,
                                        .key = ALLOCSITE_KEY_NONE,
                                        .line = from->line,
                                        .column = from->column,
                                        .version = from->version,
                                        .kind = from->kind & (uint8_t)~ALLOCSITE_JOINED};
    copy_scope(writer, site ? &site->scope : NULL, descriptor_at(from));
    copy_request(writer, site ? &site->request : NULL, from);
    copy_frames(writer, site ? &site->caller : NULL, descriptor_caller(from));
    return site;
}

size_t descriptor_copy_size(const struct allocsite_site *site) {
    struct writer measure = {NULL, 0};
    copy_site(&measure, site);
    return measure.used;
}

struct allocsite_site *descriptor_copy(const struct allocsite_site *site, void *memory) {
    struct writer writer = {memory, 0};
    return copy_site(&writer, site);
}
