/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Declarations that the fuzz targets share. */
#ifndef ALLOCSITE_FUZZ_H
#define ALLOCSITE_FUZZ_H

#include "base/out.h"

#include <stddef.h>
#include <stdint.h>

/* The entry point of libFuzzer. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A writer that discards everything without a system call per input. */
static inline struct out fuzz_out(void) {
    static char buffer[1 << 12];
    struct out out;
    out_open(&out, -1, buffer, sizeof buffer);
    out.error = -1;
    return out;
}

#endif
