/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parses a list of allocators and looks up functions, sources and types. */
#include "fuzz.h"

#include "base/allocator_list.h"

#include <stdlib.h>
#include <string.h>

static void check_entries(const struct allocator_list *list) {
    static const char *const names[] = {"_ZN5arena5allocEm", "arena::alloc(unsigned long)", "arena::alloc"};
    const struct list_entry *found = allocator_list_find(list, names, 3);
    if (found && found->subject != LIST_FUNCTIONS)
        abort();
    allocator_list_ignores(list, LIST_SOURCES, "/usr/include/c++/12/vector");
    allocator_list_ignores(list, LIST_TYPES, "std::vector<int>");
    for (size_t i = 0; i < list->count; i++)
        if (!list->entries[i].line || !*list->entries[i].pattern)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct allocator_list list = {0};
    struct list_error error;
    if (!allocator_list_add(&list, "list.txt", (const char *)data, size, &error) &&
        (!error.line || !*error.text || memchr(error.text, '\0', sizeof error.text) == NULL))
        abort();
    check_entries(&list);
    for (size_t i = 0; i < list.count; i++)
        free(list.entries[i].pattern);
    free(list.entries);
    return 0;
}
