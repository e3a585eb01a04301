/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Declarations that the files of shapes.c share: they reveal nothing about wrappers.
#include <stddef.h>

// base.c
void *xmalloc(size_t n);
void *xmalloc_int(int n);
void *xmalloc_unsigned(unsigned size);
void *xcalloc(size_t count, size_t size);
void *xcalloc_int(int nmemb, int size);
void *xrealloc(void *p, size_t n);
void xfree(void *p);
int out(void **block, size_t n);
size_t usable(void *block);
struct text;
void keep(struct text **where, struct text *text);

// wrappers.c, which gets its blocks from base.c
struct slice {
    char *text;
    size_t length;
};
struct node {
    struct node *next, *other;
};
struct text {
    size_t length;
    char bytes[];
};
char *xstrdup(const char *text);
void *xmemdup(const void *from, size_t n);
char *xasprintf(const char *format, ...);
struct slice slice_of(const char *text);
struct node *node_new(void);
struct text *text_new(const char *bytes, size_t n);
char *counted_new(const char *bytes, size_t n);
char *counted_copy(const char *bytes);
typedef char *counted;
counted counted_again(const counted bytes);
char *text_bytes(const struct text *text);
struct node *object_new(const char *name, size_t n);
struct buffer {
    char *bytes;
    size_t room, used;
};
void buffer_add(struct buffer *buffer, const char *text);
void buffer_addc(struct buffer *buffer, char c);
int buffer_convert(struct buffer *buffer, const char *text, int how);
struct message {
    int state;
    struct buffer head, body;
};
int message_set(struct message *message, const char *text, size_t n);
struct section {
    struct section *next;
    char name[8];
    int flags;
    char *bytes;
    size_t room, used;
};
struct span {
    char *start, *end;
};
void span_add(struct span *span, const char *text);
struct hidden;
struct hidden *hidden_new(void);
unsigned hidden_add(struct hidden *hidden, void *item);
struct pattern {
    size_t size;
};
void *made_as(struct pattern *pattern);
void section_reserve(struct section *section, size_t new_size);
struct text *text_joined(struct node *list, int again);
void give_back(void *p);
void slice_free(struct slice slice);
void *out_again(size_t n);
void *tracked(size_t n);
void *collected(size_t n);
void *cut(size_t n);
void *noted(size_t n);
void noted_free(void *block);
void *pooled(size_t n);
void pooled_free(void *p);
struct text *interned(size_t n);
struct text *kept_elsewhere(size_t n);
void *registered(size_t n);
void *registered_find(size_t n);
struct node *find(struct node *list, int key);
char *find_text(const char *name);

// First blocks, arrays given by offset, and blocks that pools allocate for themselves.
struct record {
    struct record *next;
    char name[8], *text;
    size_t size;
};
int record_init(struct record *record, size_t new_size);
struct vector {
    long *items;
    size_t room, used;
};
struct vector *vector_new(size_t n);
struct vector *vector_filled(long item, size_t n);
struct grid {
    double *cells, *marked;
    int count, flags[4];
};
struct grid grid_make(int cellCount);
struct list {
    void *items;
    size_t used, size, room;
};
void *list_push(struct list *list);
void list_append(struct list *list, void *item);
void list_drop(struct list *list, void *block);
void stack_extend(void **first, void **top, void **end);
void array_add(void *items, int *item_count, void *item);
struct arena;
struct arena *arena_new(size_t n);
void *arena_get(struct arena *arena, size_t n);
void *item_at(const struct list *list, size_t idx);

// hooks.c
void buffer_addln(struct buffer *buffer, const char *text);
int message_both(struct message *message, const char *text, size_t n);
struct allocator {
    void *(*alloc)(void *self, size_t n);
    void *self;
};
struct state {
    void *(*frealloc)(void *ud, void *p, size_t old, size_t n);
    void *ud;
};
struct stream {
    void *(*zalloc)(void *opaque, unsigned items, unsigned size);
    void *opaque;
};
struct slicer {
    struct slice (*get)(size_t n);
};
struct slice slicer_get(const struct slicer *slicer, size_t n);
void *allocator_get(const struct allocator *allocator, size_t n);
void set_hook(void *(*alloc)(size_t));
char *hook_strdup(const char *text);
struct record *hook_record(size_t new_size);
void *hook_malloc(size_t n);
void hook_free(void *p);
void *state_realloc(struct state *state, void *p, size_t old, size_t n);
void state_free(struct state *state, void *p);
struct text *state_text(struct state *state, const char *bytes, size_t length);
void *stream_get(struct stream *stream, unsigned items, unsigned size);

// plain.c, which is compiled without the plugin
void *plain_get(size_t n);
void *plain_through(void *(*get)(size_t), size_t n);
void *plain_malloc(void *self, size_t n);
