/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decodes line tables, and finds the code ranges of entries. */
#include "dump/debug/handle.h"

#include "cfi/cfi.h"

#include <libdwarf/dwarf.h>

struct program {
    struct bytes code;
    uint8_t step, line_range, opcode_base;
    int8_t line_base;
    uintptr_t operands; /* address of the operand counts of standard opcodes, from opcode 1 on */
    struct line_row row;
    line_row_function *take;
    void *context;
};

static size_t read_length(struct bytes *bytes) {
    uint64_t length = bytes_unsigned(bytes, 4);
    size_t offset_size = length == UINT32_MAX ? 8 : 4;
    if (offset_size == 8)
        length = bytes_unsigned(bytes, 8);
    if (length < bytes->end - bytes->at)
        bytes->end = bytes->at + length;
    return offset_size;
}

/* The tables of directories and files are between the header and the code. */
static bool read_header(struct program *program, struct bytes bytes) {
    size_t offset_size = read_length(&bytes);
    uint64_t version = bytes_unsigned(&bytes, 2);
    if (version < 2 || version > 5)
        return false;
    bytes_skip(&bytes, version >= 5 ? 2 : 0); /* sizes of addresses and segments */
    uint64_t header_size = bytes_unsigned(&bytes, offset_size);
    program->code = bytes;
    program->step = (uint8_t)bytes_byte(&bytes);
    bytes_skip(&bytes, version >= 4 ? 2 : 1); /* operations per instruction; whether rows begin statements */
    program->line_base = (int8_t)bytes_byte(&bytes);
    program->line_range = (uint8_t)bytes_byte(&bytes);
    program->opcode_base = (uint8_t)bytes_byte(&bytes);
    program->operands = bytes.at;
    if (bytes.bad || header_size > bytes.end - program->code.at || !program->line_range ||
        !program->opcode_base || program->opcode_base > bytes.end - bytes.at)
        return false;
    program->code.at += header_size;
    return true;
}

static void begin_sequence(struct program *program) {
    program->row = (struct line_row){.file = 1, .line = 1};
}

static void put_row(struct program *program) {
    if (!program->code.bad)
        program->take(program->context, &program->row);
}

static void run_extended(struct program *program) {
    struct bytes *code = &program->code;
    uint64_t length = bytes_uleb(code);
    if (!length || length > code->end - code->at) {
        code->bad = true;
        return;
    }
    uintptr_t next = code->at + length;
    uint64_t opcode = bytes_byte(code);
    if (opcode == DW_LNE_set_address)
        program->row.address = bytes_unsigned(code, length - 1 < 8 ? (unsigned)length - 1 : 8);
    if (opcode == DW_LNE_end_sequence) {
        program->row.is_end = true;
        put_row(program);
        begin_sequence(program);
    }
    code->at = next;
}

static void advance_address(struct program *program, uint64_t operations) {
    program->row.address += operations * program->step;
}

static void run_special(struct program *program, uint64_t opcode) {
    uint64_t adjusted = opcode - program->opcode_base;
    advance_address(program, adjusted / program->line_range);
    program->row.line += (uint64_t)(int64_t)program->line_base + adjusted % program->line_range;
    put_row(program);
}

static void run_standard(struct program *program, uint64_t opcode) {
    struct bytes *code = &program->code;
    switch (opcode) {
    case DW_LNS_copy:
        put_row(program);
        return;
    case DW_LNS_advance_pc:
        advance_address(program, bytes_uleb(code));
        return;
    case DW_LNS_advance_line:
        program->row.line += bytes_sleb(code);
        return;
    case DW_LNS_set_file:
        program->row.file = bytes_uleb(code);
        return;
    case DW_LNS_set_column:
        program->row.column = bytes_uleb(code);
        return;
    case DW_LNS_const_add_pc:
        advance_address(program, (255u - program->opcode_base) / program->line_range);
        return;
    case DW_LNS_fixed_advance_pc:
        program->row.address += bytes_unsigned(code, 2);
        return;
    default: /* an opcode that is unknown or not needed: skips its operands */
        for (unsigned i = 0; i < ((const unsigned char *)program->operands)[opcode - 1]; i++)
            bytes_uleb(code);
    }
}

static void run_program(struct program *program) {
    struct bytes *code = &program->code;
    begin_sequence(program);
    while (code->at < code->end) {
        uint64_t opcode = bytes_byte(code);
        if (opcode >= program->opcode_base)
            run_special(program, opcode);
        else if (opcode == 0)
            run_extended(program);
        else
            run_standard(program, opcode);
    }
}

void line_program_run(const unsigned char *section, size_t size, uint64_t offset, line_row_function *take,
                      void *context) {
    struct program program = {.take = take, .context = context};
    uintptr_t begin = (uintptr_t)section;
    if (offset < size && read_header(&program, (struct bytes){begin + offset, begin + size, false}))
        run_program(&program);
}

/* ---- The code ranges of an entry. */

struct ranges {
    Dwarf_Debug debug;
    uint64_t base;
    debug_range *take;
    void *context;
};

/* Linkers relocate dropped code to address 0, where no module has code. */
static void give_range(const struct ranges *to, uint64_t low, uint64_t high) {
    if (low && low < high)
        to->take(to->context, low, high);
}

/* Errors must be collected: for a split unit, libdwarf looks for addresses in the module only if it can
 * return why they are not in the file itself. */
static bool has_read(Dwarf_Debug debug, int status, Dwarf_Error error) {
    if (status == DW_DLV_ERROR)
        dwarf_dealloc_error(debug, error);
    return status == DW_DLV_OK;
}

static bool give_one(const struct ranges *to, Dwarf_Die die) {
    Dwarf_Addr low, high;
    Dwarf_Half form;
    enum Dwarf_Form_Class class;
    Dwarf_Error error = NULL;
    if (!has_read(to->debug, dwarf_lowpc(die, &low, &error), error) ||
        dwarf_highpc_b(die, &high, &form, &class, NULL) != DW_DLV_OK)
        return false;
    give_range(to, low, class == DW_FORM_CLASS_CONSTANT ? low + high : high);
    return true;
}

/* DWARF up to 4. */
static void give_ranges(struct ranges to, Dwarf_Die die, Dwarf_Off offset) {
    Dwarf_Ranges *list;
    Dwarf_Signed count;
    Dwarf_Unsigned size;
    Dwarf_Off real;
    Dwarf_Error error = NULL;
    int status = dwarf_get_ranges_b(to.debug, offset, die, &real, &list, &count, &size, &error);
    if (!has_read(to.debug, status, error))
        return;
    for (Dwarf_Signed i = 0; i < count; i++)
        if (list[i].dwr_type == DW_RANGES_ADDRESS_SELECTION)
            to.base = list[i].dwr_addr2;
        else if (list[i].dwr_type == DW_RANGES_ENTRY && list[i].dwr_addr1 + to.base)
            give_range(&to, list[i].dwr_addr1 + to.base, list[i].dwr_addr2 + to.base);
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
            give_range(to, low, high);
    }
}

/* In a .dwo file of GCC the unit does not say where its table begins, and libdwarf of 2021 fails. The file
 * has only one table. */
static bool open_only_table(const struct ranges *to, Dwarf_Attribute attribute, Dwarf_Unsigned index,
                            Dwarf_Rnglists_Head *head, Dwarf_Unsigned *count) {
    Dwarf_Unsigned tables, inner, offset;
    Dwarf_Error error = NULL;
    return has_read(to->debug, dwarf_load_rnglists(to->debug, &tables, &error), error) && tables == 1 &&
           has_read(to->debug,
                    dwarf_get_rnglist_offset_index_value(to->debug, 0, index, &inner, &offset, &error),
                    error) &&
           has_read(to->debug,
                    dwarf_rnglists_get_rle_head(attribute, DW_FORM_sec_offset, offset, head, count, &inner,
                                                &error),
                    error);
}

/* DWARF 5. */
static void give_lists(const struct ranges *to, Dwarf_Attribute attribute, Dwarf_Half form) {
    Dwarf_Rnglists_Head head;
    Dwarf_Unsigned count, offset, where = 0;
    Dwarf_Error error = NULL;
    int status = form == DW_FORM_rnglistx ? dwarf_formudata(attribute, &where, NULL)
                                          : dwarf_global_formref(attribute, &where, NULL);
    if (status != DW_DLV_OK)
        return;
    status = dwarf_rnglists_get_rle_head(attribute, form, where, &head, &count, &offset, &error);
    if (!has_read(to->debug, status, error) &&
        (form != DW_FORM_rnglistx || !open_only_table(to, attribute, where, &head, &count)))
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
