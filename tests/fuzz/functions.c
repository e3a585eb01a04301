/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of a table without sites. Two bytes: their number; then functions and strings. */
#include "fuzz.h"

#include "dump/table/table.h"
#include "format.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint16_t count = 0;
    if (size < sizeof count)
        return 0;
    memcpy(&count, data, sizeof count);
    data += sizeof count;
    size -= sizeof count;
    size_t length = count * sizeof(struct allocsite_function);
    if (length > size)
        length = size;
    struct table_region functions = {0x1000, data, length};
    struct table_region strings = {0x1000 + length, data + length, size - length};
    struct table_input input = {.functions = {&functions, 1}, .strings = {&strings, 1}};
    struct out out = fuzz_out();
    struct table table;
    struct reason why;
    if (!table_decode(&table, input, &why))
        return 0;
    sites_json(&out, "input", &table);
    table_free(&table);
    return 0;
}
