/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The code that an entry of debug information stands for. */
#include "dump/debug/handle.h"

struct ranges {
    Dwarf_Debug debug;
    uint64_t base;
    debug_range *take;
    void *context;
};

/* Linkers leave what they dropped at address 0, where no module has code. */
static void give(const struct ranges *to, uint64_t low, uint64_t high) {
    if (low && low < high)
        to->take(to->context, low, high);
}

static bool give_one(const struct ranges *to, Dwarf_Die die) {
    Dwarf_Addr low, high;
    Dwarf_Half form;
    enum Dwarf_Form_Class class;
    if (dwarf_lowpc(die, &low, NULL) != DW_DLV_OK ||
        dwarf_highpc_b(die, &high, &form, &class, NULL) != DW_DLV_OK)
        return false;
    give(to, low, class == DW_FORM_CLASS_CONSTANT ? low + high : high);
    return true;
}

/* Of DWARF up to 4. */
static void give_ranges(struct ranges to, Dwarf_Die die, Dwarf_Off offset) {
    Dwarf_Ranges *list;
    Dwarf_Signed count;
    Dwarf_Unsigned size;
    Dwarf_Off real;
    if (dwarf_get_ranges_b(to.debug, offset, die, &real, &list, &count, &size, NULL) != DW_DLV_OK)
        return;
    for (Dwarf_Signed i = 0; i < count; i++)
        if (list[i].dwr_type == DW_RANGES_ADDRESS_SELECTION)
            to.base = list[i].dwr_addr2;
        else if (list[i].dwr_type == DW_RANGES_ENTRY && list[i].dwr_addr1 + to.base)
            give(&to, list[i].dwr_addr1 + to.base, list[i].dwr_addr2 + to.base);
    dwarf_ranges_dealloc(to.debug, list, count);
}

static void give_list(const struct ranges *to, Dwarf_Rnglists_Head head, Dwarf_Unsigned count) {
    for (Dwarf_Unsigned i = 0; i < count; i++) {
        unsigned length, code;
        Dwarf_Unsigned raw[2], low, high;
        Dwarf_Bool no_address = 0;
        if (dwarf_get_rnglists_entry_fields_a(head, i, &length, &code, &raw[0], &raw[1], &no_address, &low,
                                              &high, NULL) != DW_DLV_OK)
            return;
        bool is_range =
            code != DW_RLE_end_of_list && code != DW_RLE_base_address && code != DW_RLE_base_addressx;
        if (is_range && !no_address)
            give(to, low, high);
    }
}

/* Of DWARF 5. */
static void give_lists(const struct ranges *to, Dwarf_Attribute attribute, Dwarf_Half form) {
    Dwarf_Rnglists_Head head;
    Dwarf_Unsigned count, offset, where = 0;
    int status = form == DW_FORM_rnglistx ? dwarf_formudata(attribute, &where, NULL)
                                          : dwarf_global_formref(attribute, &where, NULL);
    if (status != DW_DLV_OK ||
        dwarf_rnglists_get_rle_head(attribute, form, where, &head, &count, &offset, NULL) != DW_DLV_OK)
        return;
    give_list(to, head, count);
    dwarf_dealloc_rnglists_head(head);
}

static void give_attribute(const struct ranges *to, Dwarf_Die die, Dwarf_Attribute attribute) {
    Dwarf_Half version = 0, offset_size, form = 0;
    Dwarf_Off offset;
    dwarf_get_version_of_die(die, &version, &offset_size);
    if (dwarf_whatform(attribute, &form, NULL) != DW_DLV_OK)
        return;
    if (version >= 5)
        give_lists(to, attribute, form);
    else if (dwarf_global_formref(attribute, &offset, NULL) == DW_DLV_OK)
        give_ranges(*to, die, offset);
}

void debug_each_range(Dwarf_Debug debug, Dwarf_Die die, uint64_t base, debug_range *take, void *context) {
    struct ranges to = {debug, base, take, context};
    Dwarf_Attribute attribute;
    if (give_one(&to, die) || dwarf_attr(die, DW_AT_ranges, &attribute, NULL) != DW_DLV_OK)
        return;
    give_attribute(&to, die, attribute);
    dwarf_dealloc(debug, attribute, DW_DLA_ATTR);
}
