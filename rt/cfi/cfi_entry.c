/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the entry of an instruction in the unwind tables. */
#include "cfi/cfi.h"

#include <libdwarf/dwarf.h>
#include <stddef.h>

/* Pointer encodings: the lower half of the byte is the format, the upper half the base. */
enum { FORMAT = 0x0f, RELATIVE = 0xf0, PAIRS = DW_EH_PE_datarel | DW_EH_PE_sdata4 };

static struct bytes bytes_at(const struct cfi_tables *tables, uintptr_t at) {
    return bytes_between(tables->begin, tables->end, at);
}

/* ---- pointers and entries ---- */

static uint64_t read_format(struct bytes *bytes, uint8_t encoding) {
    switch (encoding & FORMAT) {
    case DW_EH_PE_absptr:
    case DW_EH_PE_udata8:
    case DW_EH_PE_sdata8:
        return bytes_unsigned(bytes, 8);
    case DW_EH_PE_uleb128:
        return bytes_uleb(bytes);
    case DW_EH_PE_udata2:
        return bytes_unsigned(bytes, 2);
    case DW_EH_PE_udata4:
        return bytes_unsigned(bytes, 4);
    case DW_EH_PE_sleb128:
        return bytes_sleb(bytes);
    case DW_EH_PE_sdata2:
        return bytes_signed(bytes, 2);
    case DW_EH_PE_sdata4:
        return bytes_signed(bytes, 4);
    default:
        bytes->bad = true;
        return 0;
    }
}

uintptr_t cfi_pointer(struct bytes *bytes, uint8_t encoding, uintptr_t header) {
    uintptr_t at = bytes->at;
    uint64_t value = read_format(bytes, encoding);
    switch (encoding & RELATIVE) {
    case DW_EH_PE_absptr:
        return value;
    case DW_EH_PE_pcrel:
        return at + value;
    case DW_EH_PE_datarel:
        return header + value;
    default:
        bytes->bad = true;
        return 0;
    }
}

/* Returns the entry's body and moves `bytes` to the next entry. The last entry's body is empty. */
static struct bytes entry_body(struct bytes *bytes) {
    uint64_t size = bytes_unsigned(bytes, 4);
    if (size == UINT32_MAX)
        size = bytes_unsigned(bytes, 8);
    struct bytes body = *bytes;
    bytes_skip(bytes, size);
    body.end = bytes->at;
    body.bad = bytes->bad;
    return body;
}

static void read_augmentation(struct cfi_entry *entry, struct bytes *bytes, const char *letters) {
    for (; *letters; letters++) {
        if (*letters == 'R')
            entry->encoding = bytes_byte(bytes);
        else if (*letters == 'L')
            bytes_skip(bytes, 1);
        else if (*letters == 'P')
            read_format(bytes, bytes_byte(bytes));
        else if (*letters == 'S')
            entry->is_signal_frame = true;
        else
            return; /* unknown meaning, but the end of the data is known */
    }
}

/* Returns a string that ends within the bytes. */
static const char *bytes_string(struct bytes *bytes) {
    const char *string = (const char *)bytes->at;
    while (bytes_byte(bytes) != 0)
        ;
    return bytes->bad ? "" : string;
}

/* Reads the common part (CIE). It has no code address and may be shared. */
static bool read_common(const struct cfi_tables *tables, uintptr_t at, struct cfi_entry *entry) {
    struct bytes remaining = bytes_at(tables, at), body = entry_body(&remaining);
    uint64_t id = bytes_unsigned(&body, 4), version = bytes_byte(&body);
    const char *letters = bytes_string(&body);
    entry->code_factor = bytes_uleb(&body);
    entry->data_factor = bytes_sleb(&body);
    uint64_t return_column = version == 1 ? bytes_byte(&body) : bytes_uleb(&body);
    entry->has_augmentation = letters[0] == 'z';
    entry->encoding = 0;
    entry->is_signal_frame = false;
    if (body.bad || id != 0 || (version != 1 && version != 3) || return_column != CFI_RETURN ||
        (letters[0] && letters[0] != 'z'))
        return false;
    if (entry->has_augmentation) {
        uint64_t size = bytes_uleb(&body);
        struct bytes data = body;
        bytes_skip(&body, size);
        data.end = body.at;
        read_augmentation(entry, &data, letters + 1);
        body.bad |= data.bad;
    }
    entry->common_program = body;
    return !body.bad;
}

/* Reads the entry of a function (FDE). Returns false if it is another one. */
static bool read_entry(const struct cfi_tables *tables, struct bytes body, struct cfi_entry *entry) {
    uintptr_t at = body.at;
    uint64_t distance = bytes_unsigned(&body, 4);
    if (body.bad || distance == 0 || !read_common(tables, at - distance, entry))
        return false;
    entry->begin = cfi_pointer(&body, entry->encoding, tables->header);
    entry->size = read_format(&body, entry->encoding);
    if (entry->has_augmentation)
        bytes_skip(&body, bytes_uleb(&body));
    entry->program = body;
    return !body.bad;
}

/* ---- finding the entry ---- */

static bool entry_holds(const struct cfi_entry *entry, uintptr_t address) {
    return address - entry->begin < entry->size;
}

static bool entries_scan(const struct cfi_tables *tables, uintptr_t frames, uintptr_t address,
                         struct cfi_entry *entry) {
    struct bytes remaining = bytes_at(tables, frames);
    for (;;) {
        struct bytes body = entry_body(&remaining);
        if (body.bad || body.at == body.end)
            return false;
        if (read_entry(tables, body, entry) && entry_holds(entry, address))
            return true;
    }
}

/* Searches the header's sorted table: starts of functions and their entries, relative to the header. */
static bool entries_search(const struct cfi_tables *tables, struct bytes pairs, uint64_t count,
                           uintptr_t address, struct cfi_entry *entry) {
    uint64_t low = 0, high = count;
    if (count > (pairs.end - pairs.at) / 8)
        return false;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        struct bytes pair = {pairs.at + middle * 8, pairs.end, false};
        if (tables->header + bytes_signed(&pair, 4) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return false;
    struct bytes found = {pairs.at + low * 8 - 4, pairs.end, false};
    struct bytes remaining = bytes_at(tables, tables->header + bytes_signed(&found, 4));
    return read_entry(tables, entry_body(&remaining), entry) && entry_holds(entry, address);
}

bool cfi_entry_find(const struct cfi_tables *tables, uintptr_t address, struct cfi_entry *entry) {
    struct bytes header = bytes_at(tables, tables->header);
    uint8_t version = bytes_byte(&header);
    uint8_t frames_encoding = bytes_byte(&header);
    uint8_t count_encoding = bytes_byte(&header);
    uint8_t pairs_encoding = bytes_byte(&header);
    if (version != 1 || frames_encoding == DW_EH_PE_omit)
        return false;
    uintptr_t frames = cfi_pointer(&header, frames_encoding, tables->header);
    if (header.bad)
        return false;
    if (pairs_encoding != PAIRS || count_encoding == DW_EH_PE_omit)
        return entries_scan(tables, frames, address, entry);
    uint64_t count = cfi_pointer(&header, count_encoding, tables->header);
    return !header.bad && entries_search(tables, header, count, address, entry);
}
