/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Only the decoder: the input is divided into the sections of a table.
 *
 * Two bytes: number of descriptors; two bytes: size of the frames; the rest is descriptors, frames,
 * strings. */
#include "fuzz.h"

#include "dump/table/table.h"
#include "format.h"

#include <stdlib.h>
#include <string.h>

struct input {
    const uint8_t *data;
    size_t size;
};

static size_t take_number(struct input *input) {
    uint16_t number = 0;
    size_t size = input->size < sizeof number ? input->size : sizeof number;
    memcpy(&number, input->data, size);
    input->data += size;
    input->size -= size;
    return number;
}

static struct table_region take(struct input *input, size_t size, uint64_t address) {
    size = size < input->size ? size : input->size;
    struct table_region region = {address, input->data, size};
    input->data += size;
    input->size -= size;
    return region;
}

static void use(const struct table *table) {
    struct out out = fuzz_out();
    sites_text(&out, table, &(struct listing){.has_frees = true});
    sites_json(&out, "input", table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct input input = {data, size};
    struct reason why;
    size_t sites_size = take_number(&input) * sizeof(struct allocsite_site),
           frames_size = take_number(&input);
    struct table_region sites = take(&input, sites_size, 0x1000);
    struct table_region frames = take(&input, frames_size, sites.address + sites.size);
    struct table_region strings = take(&input, input.size, frames.address + frames.size);
    struct table_input parts = {.sites = {&sites, 1}, .frames = {&frames, 1}, .strings = {&strings, 1}};
    struct table table;
    if (table_decode(&table, parts, &why)) {
        use(&table);
        table_free(&table);
    }
    return 0;
}
