/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The debug sections of a module, decompressed, and relocated where it is a relocatable object. */
#ifndef ALLOCSITE_DWARF_SECTIONS_H
#define ALLOCSITE_DWARF_SECTIONS_H

#include "elf_file.h"

struct dwarf_sections {
    const struct elf_file *elf;
    unsigned char **copies; /* of each section; NULL: as it is in the file */
    uint64_t *sizes;        /* of each section's bytes */
};

/* False: the module has no debug information that can be read; *why says why. */
bool dwarf_sections_open(struct dwarf_sections *, const struct elf_file *, struct reason *why);
void dwarf_sections_close(struct dwarf_sections *);

/* NULL: the section has no bytes. */
const unsigned char *dwarf_section_bytes(const struct dwarf_sections *, size_t index);

#endif
