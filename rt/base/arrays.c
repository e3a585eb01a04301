/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sorting in place. */
#include "base/arrays.h"

struct heap {
    char *elements;
    size_t size; /* of an element */
    int (*compare)(const void *, const void *);
};

static char *heap_element(const struct heap *heap, size_t index) {
    return heap->elements + index * heap->size;
}

/* Swaps words of any alignment: swapping bytes took most of the time of sorting rows of groups. */
typedef uint64_t __attribute__((may_alias, aligned(1))) word;

static void heap_swap(const struct heap *heap, size_t a, size_t b) {
    char *left = heap_element(heap, a), *right = heap_element(heap, b);
    size_t i = 0;
    for (; i + sizeof(word) <= heap->size; i += sizeof(word)) {
        word *to = (word *)(left + i), *from = (word *)(right + i), kept = *to;
        *to = *from;
        *from = kept;
    }
    for (; i < heap->size; i++) {
        char byte = left[i];
        left[i] = right[i];
        right[i] = byte;
    }
}

static int is_less(const struct heap *heap, size_t a, size_t b) {
    return heap->compare(heap_element(heap, a), heap_element(heap, b)) < 0;
}

static void sift_down(const struct heap *heap, size_t root, size_t count) {
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && is_less(heap, child, child + 1))
            child++;
        if (!is_less(heap, root, child))
            return;
        heap_swap(heap, root, child);
    }
}

void sort_array(void *array, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    struct heap heap = {array, size, compare};
    for (size_t root = count / 2; root-- > 0;)
        sift_down(&heap, root, count);
    for (size_t last = count; last-- > 1;) {
        heap_swap(&heap, 0, last);
        sift_down(&heap, 0, last);
    }
}
