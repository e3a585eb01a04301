// What is no wrapper: a constructor, which always asks for the same; a loader, which finds out itself how much it needs; what
// fills a thing whose size is a member of another, itself or by a function; a registry, which keeps the block; a destructor, which frees more than it was given or looks at it, if only
// by calling itself; circles that no allocator is in.
// RUN: %clang -O0 -c %s -o %t.O0.o && %dump wrappers %t.O0.o > %t.O0.txt && ! grep . %t.O0.txt
// RUN: %clang -O2 -c %s -o %t.O2.o && %dump wrappers %t.O2.o > %t.O2.txt && ! grep . %t.O2.txt
#include <stdlib.h>
#include <string.h>
struct thing {
    char *name;
    struct thing *self;
};
struct thing *constructor(const char *name) {
    struct thing *thing = malloc(sizeof *thing);
    thing->name = strdup(name);
    return thing;
}
void destructor(struct thing *thing) {
    free(thing->name);
    free(thing);
}
void tree_destructor(struct thing *thing) {
    if (!thing)
        return;
    tree_destructor(thing->self);
    free(thing);
}
void unlinked(struct thing *thing) {
    if (thing->self)
        thing->self->self = thing->self;
    free(thing);
}
void called_back(int status, void *data) {
    struct thing *thing = data;
    if (!status)
        thing->self = NULL;
    free(data);
}
struct file;
size_t count(const struct file *file);
void count_into(const struct file *file, size_t *count);
void *loader(const struct file *file) {
    return malloc(count(file) * sizeof(int));
}
void *loader_by_pointer(const struct file *file) {
    size_t n;
    count_into(file, &n);
    return malloc(n);
}
struct list {
    int count;
};
struct loop {
    struct list *list;
    int flags, levels[];
};
struct loop *loop_begin(struct list *list, int flags) {
    int count = flags & 1 ? 1 : list->count;
    struct loop *loop = malloc(sizeof *loop + count * sizeof(int));
    if (!loop)
        return NULL;
    loop->list = list;
    loop->flags = flags;
    return loop;
}
static void loop_init(struct loop *loop, int flags) {
    loop->flags = flags;
}
struct loop *loop_made(struct list *list) {
    struct loop *loop = malloc(sizeof *loop + list->count * sizeof(int));
    loop_init(loop, 0);
    return loop;
}
static void *kept;
void keep_elsewhere(struct thing *thing);
void *registry(size_t n) {
    return kept = malloc(n);
}
static void keep(void *p) {
    kept = p;
}
void *registry_by_call(size_t n) {
    void *p = malloc(n);
    keep(p);
    return p;
}
void *member(struct thing *thing, size_t n) {
    thing->name = malloc(n);
    return thing->name;
}
struct thing *found(struct thing *list, size_t n) {
    for (; list; list = list->self)
        if (n == 1)
            return list;
    list = malloc(n);
    keep_elsewhere(list);
    return list;
}
void *elsewhere(size_t n);
void *unknown(size_t n) {
    return elsewhere(n);
}
void *there(size_t n);
void *back(size_t n) {
    return there(n);
}
void *there(size_t n) {
    return back(n);
}
