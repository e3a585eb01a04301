/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The evidence of a program's debug information about the sites of its table. */
#include "dump/verify/verify.h"

#include "base/hash.h"
#include "base/path.h"
#include "dump/base/memory.h"
#include "dump/base/names.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* First state of each kind of key. */
enum kind { KEY_FILE = 1, KEY_ROW, KEY_QUALIFIED, KEY_UNQUALIFIED, KEY_LAST, KEY_CODE, KEY_INLINED_CODE };

/* Marks. */
enum { SEEN_FULL = 1, SEEN_MINIMAL = 2 };

static uint64_t key_of_number(uint64_t state, uint64_t number) {
    return hash_more(state, number) ?: 1;
}

static uint64_t key_of_text(uint64_t state, const char *text) {
    return key_of_number(state, fnv_1a(text, strlen(text)));
}

static uint64_t file_key(const char *path) {
    char *clean = memory_text("%s", path ?: "");
    path_clean(clean);
    uint64_t key = key_of_text(KEY_FILE, clean);
    free(clean);
    return key;
}

static uint64_t row_key(uint64_t file, uint64_t line, uint64_t column) {
    return key_of_number(key_of_number(key_of_number(KEY_ROW, file), line), column);
}

static uint64_t step_key(uint64_t way, uint64_t function, uint64_t file, uint64_t line, uint64_t column) {
    return key_of_number(key_of_number(way, function), row_key(file, line, column));
}

/* A function is known by its qualified name where the debug information has a linkage name, else (C, line
 * tables only) by the last part of it. A way in is made of last parts, which are always known. */
struct function_keys {
    uint64_t qualified, unqualified, last;
};

static struct function_keys function_keys(const char *name) {
    char *base = memory_zeros(strlen(name), 1);
    function_base(name, base);
    const char *last = function_last(base);
    struct function_keys keys = {key_of_text(KEY_QUALIFIED, base), key_of_text(KEY_UNQUALIFIED, last),
                                 key_of_text(KEY_LAST, last)};
    free(base);
    return keys;
}

static struct function_keys keys_of_place(const struct place *place) {
    char *demangled = demangle(place->function);
    struct function_keys keys = function_keys(demangled ?: place->function ?: "");
    free(demangled);
    return keys;
}

/* A key is 0 nowhere; its marks are 0 until it is seen. */
static void want(struct evidence *evidence, uint64_t key) {
    number_map_add(&evidence->marks, key, 0);
}

/* Those of a key that is not wanted are 0. */
static uint64_t marks_of(const struct evidence *evidence, uint64_t key) {
    const uint64_t *marks = number_map_find(&evidence->marks, key);
    return marks ? *marks : 0;
}

static void want_place(struct evidence *evidence, const struct place *place) {
    struct function_keys keys = keys_of_place(place);
    want(evidence, file_key(place->file));
    want(evidence, keys.qualified);
    want(evidence, keys.unqualified);
    want(evidence, keys.last);
}

static const struct place *outermost(const struct table_site *site, const struct place *chain,
                                     size_t length) {
    return length ? &chain[length - 1] : &site->at;
}

static uint64_t start_key(enum kind start, const struct table_site *site, const struct place *chain,
                          size_t length) {
    return key_of_number(start, keys_of_place(outermost(site, chain, length)).last);
}

/* From code of chain[i] into what is inlined there. */
static uint64_t next_key(uint64_t way, const struct table_site *site, const struct place *chain, size_t i) {
    const struct place *callee = i ? &chain[i - 1] : &site->at;
    return step_key(way, keys_of_place(callee).last, file_key(chain[i].file), chain[i].line, chain[i].column);
}

/* Wants the ways in from the outermost function to the site; follow_chain goes them in the same order. */
static void want_chain(struct evidence *evidence, enum kind start, const struct table_site *site,
                       const struct place *chain, size_t length) {
    uint64_t way = start_key(start, site, chain, length);
    want(evidence, way);
    for (size_t i = length; i-- > 0;) {
        way = next_key(way, site, chain, i);
        want(evidence, way);
        want_place(evidence, &chain[i]);
    }
}

static void want_site(struct evidence *evidence, const struct table_site *site) {
    struct place chain[TABLE_CHAIN_MAX];
    size_t length = table_callers(evidence->table, site, chain);
    uint64_t file = file_key(site->at.file);
    want_place(evidence, &site->at);
    want(evidence, row_key(file, site->at.line, 0));
    want(evidence, row_key(file, site->at.line, site->at.column));
    want_chain(evidence, KEY_CODE, site, chain, length);
    want_chain(evidence, KEY_INLINED_CODE, site, chain, length);
}

void evidence_open(struct evidence *evidence, const struct table *table) {
    *evidence = (struct evidence){.table = table, .unit = SEEN_FULL};
    for (size_t i = 0; i < table->count; i++)
        want_site(evidence, &table->sites[i]);
}

void evidence_close(struct evidence *evidence) {
    number_map_free(&evidence->marks);
}

void evidence_unit(struct evidence *evidence, bool is_minimal) {
    evidence->unit = is_minimal ? SEEN_MINIMAL : SEEN_FULL;
}

static evidence_key see(struct evidence *evidence, uint64_t key) {
    uint64_t *marks = number_map_find(&evidence->marks, key);
    if (marks)
        *marks |= evidence->unit;
    return marks ? key : 0;
}

static evidence_key see_joined(struct evidence *evidence, const char *outer, const char *inner,
                               const char *name) {
    char *path = memory_text("%s%s%s%s%s", outer, *outer ? "/" : "", inner, *inner ? "/" : "", name);
    evidence_key key = see(evidence, file_key(path));
    free(path);
    return key;
}

/* The table has the path as one: how much of it stands in the line table's name differs between versions. */
evidence_key evidence_file(struct evidence *evidence, const char *compilation_directory,
                           const char *directory, const char *name) {
    const char *outer = compilation_directory ?: "", *inner = directory ?: "";
    if (name[0] == '/')
        return see_joined(evidence, "", "", name);
    evidence_key key = inner[0] == '/' ? 0 : see_joined(evidence, outer, inner, name);
    return key ?: see_joined(evidence, "", inner, name) ?: see_joined(evidence, "", "", name);
}

void evidence_row(struct evidence *evidence, evidence_key file, uint64_t line, uint64_t column) {
    if (file && see(evidence, row_key(file, line, 0)) && column)
        see(evidence, row_key(file, line, column));
}

evidence_key evidence_function(struct evidence *evidence, const char *name, const char *linkage_name) {
    char *demangled = demangle(linkage_name);
    struct function_keys plain = function_keys(name ?: linkage_name ?: ""), keys = plain;
    if (demangled)
        keys = function_keys(demangled);
    else
        see(evidence, plain.unqualified);
    free(demangled);
    see(evidence, keys.qualified);
    see(evidence, plain.qualified); /* the table has it where LLVM could not demangle */
    return see(evidence, keys.last);
}

evidence_key evidence_code(struct evidence *evidence, evidence_key function, bool is_inlined) {
    return function ? see(evidence, key_of_number(is_inlined ? KEY_INLINED_CODE : KEY_CODE, function)) : 0;
}

evidence_key evidence_inlined(struct evidence *evidence, evidence_key way, evidence_key function,
                              evidence_key file, uint64_t line, uint64_t column) {
    if (!way || !function || !file)
        return 0;
    return see(evidence, step_key(way, function, file, line, column));
}

static bool is_known(const struct evidence *evidence, const struct place *place) {
    struct function_keys keys = keys_of_place(place);
    return marks_of(evidence, keys.qualified) || marks_of(evidence, keys.unqualified);
}

static enum verdict judge_function(const struct evidence *evidence, const struct place *place,
                                   struct reason *why) {
    if (is_known(evidence, place))
        return VERDICT_AGREES;
    reason_set(why, "no subprogram is %s", place->function ?: "?");
    return VERDICT_DISAGREES;
}

/* How many keys of the way in were seen: length + 1 if all. */
static size_t follow_chain(const struct evidence *evidence, enum kind start, const struct table_site *site,
                           const struct place *chain, size_t length) {
    uint64_t way = start_key(start, site, chain, length);
    size_t seen = 0;
    for (size_t i = length; marks_of(evidence, way); seen++) {
        if (i == 0)
            return length + 1;
        way = next_key(way, site, chain, --i);
    }
    return seen;
}

static enum verdict judge_chain(const struct evidence *evidence, const struct table_site *site,
                                const struct place *chain, size_t length, struct reason *why) {
    size_t seen = follow_chain(evidence, KEY_CODE, site, chain, length);
    if (seen > length)
        return VERDICT_AGREES;
    size_t seen_inlined = follow_chain(evidence, KEY_INLINED_CODE, site, chain, length);
    if (seen_inlined > length)
        return VERDICT_AGREES_INLINED;
    seen = seen > seen_inlined ? seen : seen_inlined;
    if (seen == 0) {
        reason_set(why, "no subprogram %s has code", outermost(site, chain, length)->function ?: "?");
        return VERDICT_DISAGREES;
    }
    const struct place *caller = &chain[length - seen];
    const struct place *callee = seen < length ? caller - 1 : &site->at;
    reason_set(why, "no inlined call at %s:%u:%u of %s", caller->file ?: "?", caller->line, caller->column,
               callee->function ?: "?");
    return VERDICT_DISAGREES;
}

static enum verdict judge_row(const struct evidence *evidence, const struct place *at, struct reason *why) {
    if (at->line == 0)
        return VERDICT_AGREES; /* the table says that the line is not known */
    uint64_t file = file_key(at->file);
    if (!marks_of(evidence, file))
        reason_set(why, "no line table has the file");
    else if (!marks_of(evidence, row_key(file, at->line, 0)))
        reason_set(why, "no row of the line tables has the line");
    else if (!marks_of(evidence, row_key(file, at->line, at->column)))
        reason_set(why, "no row of the line tables has the column at this line");
    else
        return VERDICT_AGREES;
    return VERDICT_DISAGREES;
}

/* Units with line tables only describe no more functions than their inline chains need. */
static bool is_minimal(const struct evidence *evidence, const struct place *at) {
    return marks_of(evidence, row_key(file_key(at->file), at->line, at->column)) == SEEN_MINIMAL;
}

enum verdict evidence_judge(const struct evidence *evidence, const struct table_site *site,
                            struct reason *why) {
    struct place chain[TABLE_CHAIN_MAX];
    size_t length = table_callers(evidence->table, site, chain);
    const struct place *outer = outermost(site, chain, length);
    if (!is_known(evidence, outer) && !marks_of(evidence, file_key(outer->file)))
        return VERDICT_NO_DEBUG_INFO;
    enum verdict verdict = judge_row(evidence, &site->at, why);
    if (verdict == VERDICT_AGREES && length == 0 && !is_known(evidence, &site->at) &&
        is_minimal(evidence, &site->at))
        return VERDICT_LINE_TABLES_ONLY;
    if (verdict == VERDICT_AGREES)
        verdict = judge_function(evidence, &site->at, why);
    for (size_t i = 0; i < length && verdict == VERDICT_AGREES; i++)
        verdict = judge_function(evidence, &chain[i], why);
    return verdict == VERDICT_AGREES ? judge_chain(evidence, site, chain, length, why) : verdict;
}

/* ---- Which sites the code of a linked module still refers to. */

struct range {
    uint64_t low, high;
};

static struct range range_of(const struct table *table) {
    struct range range = {UINT64_MAX, 0};
    for (size_t i = 0; i < table->count; i++) {
        uint64_t address = table->sites[i].address;
        range.low = address < range.low ? address : range.low;
        range.high = address > range.high ? address : range.high;
    }
    return range;
}

static void see_reference(struct number_map *references, struct range range, uint64_t address) {
    uint64_t *mark =
        address >= range.low && address <= range.high ? number_map_find(references, address) : NULL;
    if (mark)
        *mark = 1;
}

/* Whether the four bytes at code end a lea of an address relative to the instruction pointer. */
static bool is_lea(const unsigned char *code) {
    return (code[-3] == 0x48 || code[-3] == 0x4C) && code[-2] == 0x8D && (code[-1] & 0xC7) == 0x05;
}

/* Whether they are what a mov puts into a register, as in programs at a fixed place. */
static bool is_mov(const unsigned char *code) {
    return (code[-1] & 0xF8) == 0xB8;
}

/* Compilers take the address of a site by one of two instructions. They are looked for at every byte, since
 * finding where instructions begin would take a disassembler. */
static void scan(struct number_map *references, struct range range, const struct elf_section *section) {
    uint32_t word;
    for (uint64_t at = 3; at + sizeof word <= section->size; at++) {
        const unsigned char *code = section->bytes + at;
        memcpy(&word, code, sizeof word);
        if (is_lea(code))
            see_reference(references, range,
                          section->address + at + sizeof word + (uint64_t)(int64_t)(int32_t)word);
        else if (is_mov(code))
            see_reference(references, range, word);
    }
}

void code_references(struct number_map *references, const struct elf_file *elf, const struct table *table) {
    struct range range = range_of(table);
    for (size_t i = 0; i < table->count; i++)
        number_map_add(references, table->sites[i].address, 0);
    for (size_t i = 0; i < elf->count; i++)
        if ((elf->sections[i].flags & SHF_EXECINSTR) && elf->sections[i].bytes)
            scan(references, range, &elf->sections[i]);
}
