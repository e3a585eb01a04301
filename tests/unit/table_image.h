/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A small handmade site table, as in a linked module. */
#ifndef ALLOCSITE_DUMP_TABLE_IMAGE_H
#define ALLOCSITE_DUMP_TABLE_IMAGE_H

#include "dump/table/table.h"
#include "format.h"

#include <string.h>

/* Contiguous in memory as in a module, so a reference is the difference of two offsets. */
struct image {
    struct allocsite_site sites[3];
    struct allocsite_scope inner, outer;
    struct allocsite_frame frame;
    struct allocsite_request request;
    char strings[64];
};

enum { IMAGE_ADDRESS = 0x400000 };

#define REFERENCE(from, to) ((allocsite_ref)(offsetof(struct image, to) - offsetof(struct image, from)))

static inline void image_strings(struct image *image) {
    static const char strings[] = "inner\0a.c\0outer\0b.c\0malloc";
    memcpy(image->strings, strings, sizeof strings);
    image->inner.function = REFERENCE(inner.function, strings[0]);
    image->inner.file = REFERENCE(inner.file, strings[6]);
    image->outer.function = REFERENCE(outer.function, strings[10]);
    image->outer.file = REFERENCE(outer.file, strings[16]);
    image->request.callee = REFERENCE(request.callee, strings[20]);
    image->frame.scope = REFERENCE(frame.scope, outer);
    image->frame.line = 20;
    image->frame.column = 5;
}

/* malloc in inner() at a.c:10:3, inlined into outer() at b.c:20:5; malloc in outer() at b.c:30:7; the first
 * one again. */
static inline struct image image_make(void) {
    struct image image = {0};
    image_strings(&image);
    image.sites[0] =
        (struct allocsite_site){.hash = 1, .line = 30, .column = 7, .version = ALLOCSITE_FORMAT_VERSION};
    image.sites[0].scope = REFERENCE(sites[0].scope, outer);
    image.sites[0].request = REFERENCE(sites[0].request, request);
    image.sites[1] =
        (struct allocsite_site){.hash = 2, .line = 10, .column = 3, .version = ALLOCSITE_FORMAT_VERSION};
    image.sites[1].scope = REFERENCE(sites[1].scope, inner);
    image.sites[1].caller = REFERENCE(sites[1].caller, frame);
    image.sites[1].request = REFERENCE(sites[1].request, request);
    image.sites[2] = image.sites[1];
    image.sites[2].kind = ALLOCSITE_JOINED;
    image.sites[2].scope = REFERENCE(outer, inner); // led by the first descriptor
    image.sites[2].caller = REFERENCE(inner, frame) + (2 << 24);
    image.sites[2].request = REFERENCE(inner, request);
    return image;
}

struct image_regions {
    struct table_region sites, frames, strings;
};

static inline struct table_region image_region(const struct image *image, size_t from, size_t to) {
    return (struct table_region){IMAGE_ADDRESS + from, (const unsigned char *)image + from, to - from};
}

/* The caller keeps the regions, because the input refers to them. */
static inline struct table_input image_input(const struct image *image, struct image_regions *regions) {
    size_t frames = offsetof(struct image, inner), strings = offsetof(struct image, strings);
    regions->sites = image_region(image, 0, frames);
    regions->frames = image_region(image, frames, strings);
    regions->strings = image_region(image, strings, sizeof *image);
    return (struct table_input){
        .sites = {&regions->sites, 1}, .frames = {&regions->frames, 1}, .strings = {&regions->strings, 1}};
}

#endif
