/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The rows of a line table. */
#include "dump/debug/handle.h"

#include "cfi/cfi.h"

#include <libdwarf/dwarf.h>

struct program {
    struct bytes code;
    uint8_t step, line_range, opcode_base;
    int8_t line_base;
    uintptr_t operands; /* where it stands of each standard opcode from 1 on, how many */
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
    bytes_skip(&bytes,
               version >= 4 ? 2 : 1); /* operations of an instruction; whether rows begin statements */
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

static void advance(struct program *program, uint64_t operations) {
    program->row.address += operations * program->step;
}

static void run_special(struct program *program, uint64_t opcode) {
    uint64_t adjusted = opcode - program->opcode_base;
    advance(program, adjusted / program->line_range);
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
        advance(program, bytes_uleb(code));
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
        advance(program, (255u - program->opcode_base) / program->line_range);
        return;
    case DW_LNS_fixed_advance_pc:
        program->row.address += bytes_unsigned(code, 2);
        return;
    default: /* what it does is not needed, or not known: then it still says how many operands there are */
        for (unsigned i = 0; i < ((const unsigned char *)program->operands)[opcode - 1]; i++)
            bytes_uleb(code);
    }
}

static void run(struct program *program) {
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
        run(&program);
}
