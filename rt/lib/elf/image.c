/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads and writes loaded ELF objects. Headers are trusted as far as the dynamic loader trusts them. */
#define _GNU_SOURCE
#include "lib/elf/image.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define REFERS(type) ((type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_GLOB_DAT || (type) == R_X86_64_64)

static uintptr_t page_of(uintptr_t address) {
    return address & -(uintptr_t)getpagesize();
}

static const ElfW(Phdr) * segment_of(const struct image *image, uintptr_t address) {
    for (size_t i = 0; i < image->header_count; i++) {
        const ElfW(Phdr) *segment = &image->headers[i];
        if (segment->p_type == PT_LOAD && address - image->base - segment->p_vaddr < segment->p_memsz)
            return segment;
    }
    return NULL;
}

bool image_holds(const struct image *image, uintptr_t address) {
    return segment_of(image, address) != NULL;
}

/* glibc has added the base to the addresses in the dynamic section, unless that section is read-only. */
static const void *dynamic_pointer(const struct image *image, const ElfW(Dyn) * entry) {
    uintptr_t address = entry->d_un.d_ptr;
    if (!image_holds(image, address))
        address += image->base;
    return image_holds(image, address) ? (const void *)address : NULL;
}

static void dynamic_read(struct image *image, const ElfW(Dyn) * entry) {
    switch (entry->d_tag) {
    case DT_SYMTAB:
        image->symbols = dynamic_pointer(image, entry);
        break;
    case DT_STRTAB:
        image->strings = dynamic_pointer(image, entry);
        break;
    case DT_STRSZ:
        image->strings_size = entry->d_un.d_val;
        break;
    case DT_GNU_HASH:
        image->hash = dynamic_pointer(image, entry);
        break;
    case DT_RELA:
        image->relocations[0].at = dynamic_pointer(image, entry);
        break;
    case DT_RELASZ:
        image->relocations[0].count = entry->d_un.d_val / sizeof(ElfW(Rela));
        break;
    case DT_JMPREL:
        image->relocations[1].at = dynamic_pointer(image, entry);
        break;
    case DT_PLTRELSZ:
        image->relocations[1].count = entry->d_un.d_val / sizeof(ElfW(Rela));
        break;
    default:
        break;
    }
}

/* The loader protects only whole pages after relocation. */
static void relro_read(struct image *image, const ElfW(Phdr) * header) {
    image->relro = page_of(image->base + header->p_vaddr);
    image->relro_end = page_of(image->base + header->p_vaddr + header->p_memsz);
}

bool image_read(struct image *image, const struct dl_phdr_info *object) {
    *image = (struct image){
        .base = object->dlpi_addr, .headers = object->dlpi_phdr, .header_count = object->dlpi_phnum};
    const ElfW(Dyn) *dynamic = NULL;
    for (size_t i = 0; i < image->header_count; i++) {
        if (image->headers[i].p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)(image->base + image->headers[i].p_vaddr);
        else if (image->headers[i].p_type == PT_GNU_RELRO)
            relro_read(image, &image->headers[i]);
    }
    for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++)
        dynamic_read(image, dynamic);
    for (size_t i = 0; i < 2; i++)
        if (!image->relocations[i].at)
            image->relocations[i].count = 0;
    return image->symbols && image->strings;
}

static uint32_t gnu_hash(const char *name) {
    uint32_t hash = 5381;
    for (; *name; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash;
}

/* DT_GNU_HASH: a bucket has its first symbol's index; the lowest bit in chain marks its last symbol. */
struct gnu_table {
    uint32_t buckets, first;
    const uint32_t *bucket, *chain;
};

static struct gnu_table gnu_table(const struct image *image) {
    uint32_t words = image->hash[2];
    const uint32_t *bucket = image->hash + 4 + words * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
    return (struct gnu_table){image->hash[0], image->hash[1], bucket, bucket + image->hash[0]};
}

const ElfW(Sym) * image_symbol(const struct image *image, const char *name) {
    if (!image->hash)
        return NULL;
    struct gnu_table table = gnu_table(image);
    uint32_t hash = gnu_hash(name);
    uint32_t index = table.buckets ? table.bucket[hash % table.buckets] : 0;
    if (index < table.first)
        return NULL;
    for (;; index++) {
        const ElfW(Sym) *symbol = &image->symbols[index];
        uint32_t link = table.chain[index - table.first];
        if (((link ^ hash) >> 1) == 0 && symbol->st_shndx != SHN_UNDEF &&
            strcmp(image->strings + symbol->st_name, name) == 0)
            return symbol;
        if (link & 1)
            return NULL;
    }
}

void image_defined_symbols(const struct image *image, uint32_t *first, uint32_t *end) {
    *first = *end = 0;
    if (!image->hash)
        return;
    struct gnu_table table = gnu_table(image);
    uint32_t last = 0;
    for (uint32_t i = 0; i < table.buckets; i++)
        last = table.bucket[i] > last ? table.bucket[i] : last;
    if (last < table.first)
        return;
    while (!(table.chain[last - table.first] & 1))
        last++;
    *first = table.first;
    *end = last + 1;
}

uintptr_t *image_reference(const struct image *image, const ElfW(Rela) * relocation, const char **name) {
    uintptr_t place = image->base + relocation->r_offset;
    uint32_t symbol = (uint32_t)ELF64_R_SYM(relocation->r_info);
    if (!symbol || !REFERS(ELF64_R_TYPE(relocation->r_info)) || place % sizeof place != 0 ||
        !image_holds(image, place))
        return NULL;
    *name = image->strings + image->symbols[symbol].st_name;
    return (uintptr_t *)place;
}

static bool relocations_refer(const struct image *image, bool (*is_wanted)(const char *name)) {
    const char *name;
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < image->relocations[i].count; k++)
            if (image_reference(image, &image->relocations[i].at[k], &name) && is_wanted(name))
                return true;
    return false;
}

/* DT_GNU_HASH has the number of symbols before the defined ones, unless the object defines none. */
bool image_refers(const struct image *image, bool (*is_wanted)(const char *name)) {
    uint32_t first, end;
    image_defined_symbols(image, &first, &end);
    if (first == end)
        return relocations_refer(image, is_wanted);
    for (uint32_t i = 1; i < end; i++) /* linkers put some undefined symbols after the first defined one */
        if (image->symbols[i].st_shndx == SHN_UNDEF && is_wanted(image->strings + image->symbols[i].st_name))
            return true;
    return false;
}

static int protection_of(const struct image *image, uintptr_t address) {
    const ElfW(Phdr) *segment = segment_of(image, address);
    if (!segment || address % sizeof address != 0)
        return PROT_NONE;
    int protection = (segment->p_flags & PF_R ? PROT_READ : 0) | (segment->p_flags & PF_W ? PROT_WRITE : 0) |
                     (segment->p_flags & PF_X ? PROT_EXEC : 0);
    return image_is_sealed(image, (const void *)address) ? protection & ~PROT_WRITE : protection;
}

static bool memory_protect(const void *begin, const void *end, int protection) {
    int error = errno;
    uintptr_t page = page_of((uintptr_t)begin);
    bool done = mprotect((void *)page, (uintptr_t)end - page, protection) == 0;
    errno = error;
    return done;
}

bool image_open(const struct image *image, const void *begin, const void *end) {
    int protection = protection_of(image, (uintptr_t)begin);
    return protection & PROT_READ &&
           (protection & PROT_WRITE || memory_protect(begin, end, protection | PROT_WRITE));
}

void image_close(const struct image *image, const void *begin, const void *end) {
    int protection = protection_of(image, (uintptr_t)begin);
    if (!(protection & PROT_WRITE))
        memory_protect(begin, end, protection);
}

bool image_unseal(const struct image *image) {
    return memory_protect((const void *)image->relro, (const void *)image->relro_end, PROT_READ | PROT_WRITE);
}

void image_seal(const struct image *image) {
    memory_protect((const void *)image->relro, (const void *)image->relro_end, PROT_READ);
}

bool image_write(const struct image *image, uintptr_t *place, uintptr_t value) {
    if (!image_open(image, place, place + 1))
        return false;
    __atomic_store_n(place, value, __ATOMIC_RELEASE);
    image_close(image, place, place + 1);
    return true;
}
