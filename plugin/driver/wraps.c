/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/wraps.h"

#include <string.h>

struct reading {
    const char *name;
    bool value_follows, is_wrapped;
};

static void read_word(struct reading *reading, const char *word, size_t length) {
    size_t dashes = strspn(word, "-"), option = strlen("wrap=");
    bool is_value = reading->value_follows;
    reading->value_follows = false;
    if (!is_value && (dashes == 0 || dashes > 2 || length < dashes + option - 1 ||
                      strncmp(word + dashes, "wrap=", option - 1) != 0))
        return;
    reading->value_follows = !is_value && length == dashes + option - 1;
    if (is_value)
        dashes = option = 0;
    else if (reading->value_follows || word[dashes + option - 1] != '=')
        return;
    word += dashes + option;
    length -= dashes + option;
    reading->is_wrapped |= strlen(reading->name) == length && strncmp(word, reading->name, length) == 0;
}

static void read_words(struct reading *reading, const char *words) {
    for (size_t length; length = strcspn(words, ","), true; words += length + 1) {
        read_word(reading, words, length);
        if (!words[length])
            return;
    }
}

bool wraps_tell(char *const *arguments, const char *name) {
    struct reading reading = {.name = name};
    for (; *arguments; arguments++)
        if (strncmp(*arguments, "-Wl,", strlen("-Wl,")) == 0)
            read_words(&reading, *arguments + strlen("-Wl,"));
        else if (strcmp(*arguments, "-Xlinker") == 0 && arguments[1])
            arguments++, read_word(&reading, *arguments, strlen(*arguments));
    return reading.is_wrapped;
}

#define NAME(symbol, ...) #symbol,
#define HEAP_ALLOC        NAME
#define HEAP_REALLOC      NAME
#define HEAP_FREE         NAME
#define OPERATOR_NEW      NAME
#define OPERATOR_DELETE   NAME
#define LIBRARY           NAME
#define LIBRARY_BUFFER    NAME
const char *const wraps_known[] = {
#include "allocators.def"
    NULL};
