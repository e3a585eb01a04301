/* The object that the runtime is linked into: the executable, or its shared library.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_ELF_OWN_H
#define ALLOCSITE_ELF_OWN_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* Linkers put them at its begin and end. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

static inline bool elf_is_own(const void *address) {
    uintptr_t begin = (uintptr_t)&__ehdr_start;
    return (uintptr_t)address - begin < (uintptr_t)_end - begin;
}

#endif
