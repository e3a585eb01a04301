/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Calls of wrappers of all shapes, which are defined in other files.
#include "shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *volatile sink;

static void *acct_alloc(void *self, size_t n) {
    (void)self;
    return malloc(n);
}

static void *own_malloc(size_t n) {
    return malloc(n);
}

// Returns no block.
static void *none(void *self, size_t n) {
    (void)n;
    return self;
}

static void *own_frealloc(void *ud, void *p, size_t old, size_t n) {
    (void)ud;
    (void)old;
    if (n)
        return realloc(p, n);
    free(p);
    return NULL;
}

static void *own_zalloc(void *opaque, unsigned items, unsigned size) {
    (void)opaque;
    return calloc(items, size);
}

static struct slice own_slice(size_t n) {
    return (struct slice){malloc(n), n};
}

static void *(*volatile pointer)(size_t) = xmalloc;
static struct slice (*volatile slicer)(const char *) = slice_of;
static struct node *(*volatile maker)(void) = node_new;
static char *(*volatile copier)(const char *) = xstrdup;
static void (*volatile adder)(struct buffer *, const char *) = buffer_add;

static void across(void) {
    sink = xmalloc(10);                       // @ 1 10 0 0 0
    sink = xmalloc_int(11);                   // @ 1 11 0 0 0
    sink = xmalloc_unsigned(12);              // @ 1 12 0 0 0
    sink = xcalloc(2, 13);                    // @ 1 26 0 0 0
    sink = xcalloc_int(3, 14);                // @ 1 42 0 0 0
    void *moved = xrealloc(NULL, 15);         // @ 1 15 0 0 0
    sink = xrealloc(moved, 40);               // @ 0 0 1 40 0
    sink = xstrdup("four");                   // @ 1 5 0 0 0
    sink = xmemdup("nine, ten", 9);           // @ 1 9 0 0 0
    sink = xasprintf("%d", 12345);            // @ 1 6 0 0 0
    sink = slice_of("a slice").text;          // @ 1 7 0 0 0
    char *counted = counted_new("count", 5);  // @ 1 13 0 0 0
    sink = counted_copy(counted);             // @ 1 13 0 0 0
    sink = counted_again(counted);            // @ 1 13 0 0 0
    struct text *text = text_new("texts", 5); // @ 1 13 0 0 0
    sink = text_bytes(text);                  // @ 1 6 0 0 0
    sink = text_new("text", 0);               // @ 1 8 0 0 0
    sink = text_new("text", 4);               // @ 1 12 0 0 0
    sink = object_new("o", 2);                // @ 1 18 0 0 0
    sink = object_new("object", 6);           // @ 1 16 0 0 0
    sink = tracked(30);                       // @ 1 46 0 0 0
    sink = collected(64);                     // @ 1 64 0 0 0
    void *block = pooled(65);
    pooled_free(block);
    sink = pooled(65);
    sink = pooled(0);
    noted_free(noted(66)); // @ 2 82 0 0 0
    sink = noted(67);      // @ 1 67 0 0 0
    sink = cut(10);
    sink = cut(101);
    sink = node_new(); // @ 1 16 0 0 0
    struct node node = {NULL, NULL};
    sink = text_joined(&node, 1);          // @ 1 13 0 0 0
    sink = out(&block, 21) ? NULL : block; // @ 1 21 0 0 0
    sink = out_again(22);                  // @ 1 22 0 0 0
}

static void lookups(void) {
    static struct node list[2] = {{&list[1], NULL}};
    sink = registered(50);
    sink = registered(50);
    sink = registered_find(50);
    sink = interned(90);
    sink = interned(90);
    sink = kept_elsewhere(91);
    sink = kept_elsewhere(91);
    sink = find(list, 1);
    sink = find_text("two");
    // The calls above do not affect the next call.
    sink = plain_malloc(NULL, 33);
}

static void hooks(void) {
    struct allocator allocator = {acct_alloc, NULL}, plain = {plain_malloc, NULL}, no = {none, &allocator};
    struct state state = {own_frealloc, NULL};
    struct stream stream = {own_zalloc, NULL};
    sink = allocator_get(&allocator, 70); // @ 1 70 0 0 0
    sink = allocator_get(&plain, 71);
    sink = allocator_get(&no, 72);
    sink = plain_malloc(NULL, 34);
    sink = hook_malloc(73);      // @ 1 73 0 0 0
    sink = hook_strdup("hooks"); // @ 1 6 0 0 0
    sink = hook_record(82);      // @ 2 114 0 0 0
    set_hook(own_malloc);
    sink = hook_malloc(74);                       // @ 1 74 0 0 0
    sink = hook_strdup("hooked");                 // @ 1 7 0 0 0
    void *p = state_realloc(&state, NULL, 0, 75); // @ 1 75 0 0 0
    sink = p = state_realloc(&state, p, 75, 80);  // @ 0 0 1 80 0
    sink = state_realloc(&state, p, 80, 0);
    sink = state_text(&state, "state", 5); // @ 1 13 0 0 0
    sink = stream_get(&stream, 7, 11);     // @ 1 77 0 0 0
    struct slicer slicer = {own_slice};
    sink = slicer_get(&slicer, 78).text; // @ 1 78 0 0 0
}

static void pointers(void) {
    sink = pointer(60);               // @ 1 60 0 0 0
    sink = slicer("by pointer").text; // @ 1 10 0 0 0
    sink = maker();                   // @ 1 16 0 0 0
    sink = copier("a copy");          // @ 1 7 0 0 0
    struct buffer buffer = {NULL, 0, 0};
    adder(&buffer, "added");
    sink = plain_get(31);
    sink = plain_through(xmalloc, 32);
}

static void buffers(void) {
    struct buffer buffer = {NULL, 0, 0};
    buffer_add(&buffer, "seven..");
    buffer_addc(&buffer, '!');
    buffer_add(&buffer, "more");
    xfree(buffer.bytes);
    buffer = (struct buffer){NULL, 0, 0};
    buffer_convert(&buffer, "up", 0);
    buffer_convert(&buffer, "wide", 1);
    buffer_addln(&buffer, "line");
    struct span span = {NULL, NULL};
    span_add(&span, "a span");
    span_add(&span, "ned");
    struct hidden *hidden = hidden_new(); // @ 1 16 0 0 0
    hidden_add(hidden, &span);            // @ 1 16 0 0 0
    struct message message = {0};
    message_set(&message, "a message", 9);
    message_both(&message, "both of them", 12);
    struct pattern pattern = {120};
    sink = made_as(&pattern); // @ 1 120 0 0 0
    struct section section = {NULL};
    section_reserve(&section, 110); // @ 1 110 0 0 0
}

static void first(void) {
    struct record record = {NULL};
    record_init(&record, 111);        // @ 1 111 0 0 0
    sink = vector_new(10);            // @ 2 104 0 0 0
    sink = vector_filled(1, 11);      // @ 2 112 0 0 0
    struct grid grid = grid_make(12); // @ 1 96 0 0 0
    sink = grid.cells;
}

static void arrays(void) {
    short items[2] = {0};
    struct list list = {items, 2, sizeof *items, 2};
    short *item = list_push(&list);
    sink = item;
    sink = item_at(&list, 1);
    list_append(&list, items);
    list_append(&list, &list.size);
    int *first = malloc(16), *top = first + 4, *end = top;       // @ 1 16 0 0 0
    stack_extend((void **)&first, (void **)&top, (void **)&end); // @ 0 0 1 32 0
    sink = first;
    void **array = NULL;
    int item_count = 0;
    array_add(&array, &item_count, item);
    array_add(&array, &item_count, item);
    sink = array;
}

static void pools(void) {
    struct arena *arena = arena_new(100); // @ 1 100 0 0 0
    sink = arena_get(arena, 40);
    struct node *node = arena_get(arena, 48);
    sink = node;
    sink = arena_get(arena, 60);
}

// With notes on frees.
static void frees(void) {
    xfree(malloc(101));    // @ 1 101 0 0 0
    void *p = malloc(102); // @ 1 102 0 0 0
    give_back(p);
    struct slice slice = slice_of("to be freed"); // @ 1 11 0 0 0
    slice_free(slice);
    struct list list = {NULL, 1, 1, 1};
    p = malloc(103); // @ 1 103 0 0 0
    list_drop(&list, p);
    p = hook_malloc(103); // @ 1 103 0 0 0
    hook_free(p);
    struct state state = {own_frealloc, NULL};
    p = state_realloc(&state, NULL, 0, 104); // @ 1 104 0 0 0
    state_free(&state, p);
}

__attribute__((visibility("default"))) int main(void) {
    across();
    lookups();
    hooks();
    pointers();
    buffers();
    first();
    arrays();
    pools();
    frees();
    puts("done"); // @ any
    return 3;
}
