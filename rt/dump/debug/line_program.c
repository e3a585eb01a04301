/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The rows of a line table. */
#include "dump/debug/line_program.h"

#include <libdwarf/dwarf.h>
#include <string.h>

struct bytes {
    const unsigned char *at, *end;
    bool is_bad; /* something lay behind the end */
};

static uint64_t fixed(struct bytes *bytes, size_t size) {
    uint64_t value = 0;
    bytes->is_bad |= (size_t)(bytes->end - bytes->at) < size;
    if (bytes->is_bad)
        return 0;
    memcpy(&value, bytes->at, size);
    bytes->at += size;
    return value;
}

/* A number of seven bits a byte, and its width. */
static uint64_t variable(struct bytes *bytes, unsigned *width) {
    uint64_t value = 0, byte = 0x80;
    for (*width = 0; byte & 0x80 && !bytes->is_bad; *width += 7) {
        byte = fixed(bytes, 1);
        value |= *width < 64 ? (byte & 0x7F) << *width : 0;
    }
    return value;
}

static uint64_t unsigned_number(struct bytes *bytes) {
    unsigned width;
    return variable(bytes, &width);
}

static uint64_t signed_number(struct bytes *bytes) {
    unsigned width;
    uint64_t value = variable(bytes, &width);
    bool is_negative = width && width < 64 && value >> (width - 1) & 1;
    return is_negative ? value | UINT64_MAX << width : value;
}

struct program {
    struct bytes code;
    uint8_t step, line_range, opcode_base;
    int8_t line_base;
    const unsigned char *operands; /* of each standard opcode from 1 on, how many */
    struct line_row row;
    line_row_function *take;
    void *context;
};

static size_t read_length(struct bytes *bytes) {
    uint64_t length = fixed(bytes, 4);
    size_t offset_size = length == UINT32_MAX ? 8 : 4;
    if (offset_size == 8)
        length = fixed(bytes, 8);
    if (length < (size_t)(bytes->end - bytes->at))
        bytes->end = bytes->at + length;
    return offset_size;
}

/* The tables of directories and files are between the header and the code. */
static bool read_header(struct program *program, struct bytes bytes) {
    size_t offset_size = read_length(&bytes);
    uint64_t version = fixed(&bytes, 2);
    if (version < 2 || version > 5)
        return false;
    fixed(&bytes, version >= 5 ? 2 : 0); /* sizes of addresses and segments */
    uint64_t header_size = fixed(&bytes, offset_size);
    program->code = bytes;
    program->step = (uint8_t)fixed(&bytes, 1);
    fixed(&bytes, version >= 4 ? 2 : 1); /* operations of an instruction; whether rows begin statements */
    program->line_base = (int8_t)fixed(&bytes, 1);
    program->line_range = (uint8_t)fixed(&bytes, 1);
    program->opcode_base = (uint8_t)fixed(&bytes, 1);
    program->operands = bytes.at;
    if (bytes.is_bad || header_size > (size_t)(bytes.end - program->code.at) || !program->line_range ||
        !program->opcode_base || program->opcode_base > bytes.end - bytes.at)
        return false;
    program->code.at += header_size;
    return true;
}

static void begin_sequence(struct program *program) {
    program->row = (struct line_row){.file = 1, .line = 1};
}

static void put_row(struct program *program) {
    if (!program->code.is_bad)
        program->take(program->context, &program->row);
}

static void run_extended(struct program *program) {
    struct bytes *code = &program->code;
    uint64_t length = unsigned_number(code);
    if (!length || length > (size_t)(code->end - code->at)) {
        code->is_bad = true;
        return;
    }
    const unsigned char *next = code->at + length;
    uint64_t opcode = fixed(code, 1);
    if (opcode == DW_LNE_set_address)
        program->row.address = fixed(code, length - 1 < 8 ? length - 1 : 8);
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
        advance(program, unsigned_number(code));
        return;
    case DW_LNS_advance_line:
        program->row.line += signed_number(code);
        return;
    case DW_LNS_set_file:
        program->row.file = unsigned_number(code);
        return;
    case DW_LNS_set_column:
        program->row.column = unsigned_number(code);
        return;
    case DW_LNS_const_add_pc:
        advance(program, (255u - program->opcode_base) / program->line_range);
        return;
    case DW_LNS_fixed_advance_pc:
        program->row.address += fixed(code, 2);
        return;
    default: /* what it does is not needed, or not known: then it still says how many operands there are */
        for (unsigned i = 0; i < program->operands[opcode - 1]; i++)
            unsigned_number(code);
    }
}

static void run(struct program *program) {
    struct bytes *code = &program->code;
    begin_sequence(program);
    while (code->at < code->end && !code->is_bad) {
        uint64_t opcode = fixed(code, 1);
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
    if (offset < size && read_header(&program, (struct bytes){section + offset, section + size, false}))
        run(&program);
}
