/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What takes names and paths apart: the results must fit where the inputs did. */
#include "fuzz.h"

#include "dump/function_name.h"
#include "dump/type_name.h"
#include "lib/path.h"

#include <stdlib.h>
#include <string.h>

static void check_type(const char *text) {
    struct type_name name;
    if (!type_name_read(&name, text))
        return;
    if (strlen(name.text) >= sizeof name.text || !type_name_matches(name.text, name.text))
        abort();
    type_name_matches(name.text, text);
    type_name_matches(text, name.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = strndup((const char *)data, size);
    size_t length = strlen(text);
    char *base = malloc(length + 1);
    function_base(text, base);
    if (strlen(base) > length || function_last(base) > base + strlen(base))
        abort();
    check_type(text);
    path_clean(text);
    if (strlen(text) > length)
        abort();
    memcpy(base, text, strlen(text) + 1);
    path_clean(base);
    if (strcmp(base, text) != 0) /* a clean path stays as it is */
        abort();
    free(base);
    free(text);
    return 0;
}
