/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parsers of names and paths. A result is never longer than its input. */
#include "fuzz.h"

#include "base/path.h"
#include "dump/base/names.h"
#include "dump/types/name.h"
#include "names/names.h"

#include <stdlib.h>
#include <string.h>

static bool is_short(const void *context, const char *path, size_t length) {
    (void)context;
    return length && path[length - 1] != 'x' && length < 4;
}

static void check_arguments(const char *text) {
    struct type_text all, argument;
    const char *end = text + strlen(text), *found = type_name_find(text, "([");
    if (found && *found != '(' && *found != '[')
        abort();
    if (!type_name_arguments((struct type_text){text, strlen(text)}, &all))
        return;
    while (type_name_next(&all, &argument))
        if (argument.text < text || argument.text + argument.length >= end || all.text + all.length >= end)
            abort();
}

static void check_type(const char *text) {
    struct type_name name, stripped;
    if (!type_name_read(&name, text))
        return;
    if (strlen(name.text) >= sizeof name.text || !type_name_matches(name.text, name.text))
        abort();
    stripped = name;
    type_name_strip(&stripped, is_short, NULL);
    if (strlen(stripped.text) > strlen(name.text))
        abort();
    check_arguments(name.text);
    check_arguments(text);
    type_name_matches(name.text, text);
    type_name_matches(text, name.text);
}

static void check_short(const char *text) {
    char shown[NAME_SIZE];
    for (size_t columns = 1; columns < 100; columns *= 3) {
        name_function(shown, text, columns);
        if (strncmp(text, "_Z", 2) != 0 && strlen(shown) > strlen(text) + strlen("...::"))
            abort();
        name_type(shown, text, columns);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = strndup((const char *)data, size);
    size_t length = strlen(text);
    char *base = malloc(length + 1);
    function_base(text, base);
    if (strlen(base) > length)
        abort();
    check_type(text);
    check_short(text);
    path_clean(text);
    if (strlen(text) > length)
        abort();
    memcpy(base, text, strlen(text) + 1);
    path_clean(base);
    if (strcmp(base, text) != 0) /* a normalized path is unchanged */
        abort();
    free(base);
    free(text);
    return 0;
}
