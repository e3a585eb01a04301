/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Comparing and copying the descriptors of sites. */
#include "lib/who/descriptor.h"

#include "lib/base/os.h"

#include <string.h>

static bool same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

struct site_view descriptor_view(const struct allocsite_site *site, const char *module, struct place *inlined,
                                 size_t room) {
    struct site_view view = {
        .id = site->hash,
        .module = module,
        .sited = true,
        .at = descriptor_place(&site->scope, site->line, site->column),
        .callee = descriptor_request(site, false),
        .type = descriptor_request(site, true),
        .inlined = inlined,
        .of_wrapper = site->kind & ALLOCSITE_OF_WRAPPER,
    };
    for (const struct allocsite_frame *frame = descriptor_caller(site); frame && view.inlined_count < room;
         frame = descriptor_frame(&frame->caller))
        inlined[view.inlined_count++] = descriptor_place(&frame->scope, frame->line, frame->column);
    return view;
}

bool descriptor_same(const struct allocsite_site *a, const struct allocsite_site *b) {
    if (a->hash != b->hash || a->line != b->line || a->column != b->column)
        return false;
    struct place at = descriptor_place(&a->scope, a->line, a->column);
    struct place bt = descriptor_place(&b->scope, b->line, b->column);
    return same_text(at.function, bt.function) && same_text(at.file, bt.file) &&
           same_text(descriptor_request(a, false), descriptor_request(b, false));
}

/* Hands out memory from base on; with base NULL it only measures. */
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

static void copy_scope(struct writer *writer, allocsite_ref *field, const allocsite_ref *from) {
    struct place place = descriptor_place(from, 0, 0);
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
        copy_scope(writer, frame ? &frame->scope : NULL, &from->scope);
        field = frame ? &frame->caller : NULL;
    }
}

/* Memory is zeroed, so references that are not set name nothing. */
static struct allocsite_site *copy_site(struct writer *writer, const struct allocsite_site *from) {
    struct allocsite_site *site = writer_take(writer, NULL, sizeof *site, 8);
    if (site)
        *site = (struct allocsite_site){.hash = from->hash,
                                        .key = ALLOCSITE_KEY_NONE,
                                        .line = from->line,
                                        .column = from->column,
                                        .version = from->version,
                                        .kind = from->kind & (uint8_t)~ALLOCSITE_FROM_SCOPE};
    copy_scope(writer, site ? &site->scope : NULL, &from->scope);
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
