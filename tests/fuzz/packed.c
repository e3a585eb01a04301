/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Symbols in compressed sections (.gnu_debugdata), and perf maps. */
#include "fuzz.h"

#include "dump/elf/elf_file.h"
#include "dump/elf/unpack.h"
#include "dump/line/perf_map.h"

#include <stdlib.h>
#include <string.h>

static void read_packed(const uint8_t *data, size_t size) {
    struct elf_symbols symbols = {.count = 0};
    struct elf_file elf;
    struct reason why;
    size_t unpacked;
    unsigned char *bytes = mini_debug_unpack(data, size, &unpacked);
    if (bytes && elf_open(&elf, bytes, unpacked, &why)) {
        elf_symbols_read(&symbols, &elf);
        elf_symbols_find(&symbols, 0x1000);
        elf_symbols_free(&symbols);
        elf_close(&elf);
    }
    free(bytes);
}

static void read_map(const uint8_t *data, size_t size) {
    struct perf_map map = {.count = 0};
    perf_map_read(&map, strndup((const char *)data, size));
    for (size_t i = 0; i < map.count; i++) {
        const char *name = perf_map_find(&map, map.list[i].start);
        if (!map.list[i].size || (name && !*name))
            abort();
    }
    perf_map_close(&map);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    read_packed(data, size);
    read_map(data, size);
    return 0;
}
