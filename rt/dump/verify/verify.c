/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A module's table held against its debug information. */
#include "dump/verify/verify.h"

#include "dump/base/memory.h"
#include "dump/base/terminal.h"
#include "dump/debug/child.h"
#include "dump/debug/handle.h"
#include "dump/table/table.h"
#include "write/formats.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* ---- Walks debug information for the evidence. */

/* The walk. An entry that cannot be read is passed over: the sites that need it will be found to disagree. */

struct walk {
    struct debug_handle *handle;
    Dwarf_Debug debug;
    struct evidence *evidence;
    struct number_map functions; /* offset of a function's entry -> its key */
    evidence_key *files;         /* of the unit's line table, by the number that its rows use */
    size_t file_count;
    bool has_full_entries; /* the unit has more than line tables and what their inline chains need */
    bool has_split_unit;
    bool is_linked;
};

/* Where the walk is: the ways in that lead here, each from another function around. */
struct ways {
    evidence_key keys[32];
    size_t count;
};

/* Deeper nesting of scopes is damage. */
enum { DEPTH_MAX = 1000 };

/* Thousands of inlined calls share one function, so each is read once. */
static evidence_key function_at(struct walk *walk, Dwarf_Off offset) {
    const uint64_t *known = number_map_find(&walk->functions, offset);
    if (known)
        return *known;
    struct debug_names names = debug_function_names(walk->debug, offset);
    evidence_key key = evidence_function(walk->evidence, names.plain, names.linkage);
    number_map_add(&walk->functions, offset, key);
    return key;
}

static evidence_key function_of(struct walk *walk, Dwarf_Die die) {
    Dwarf_Off offset;
    if (!debug_next_origin(walk->debug, die, &offset) && dwarf_dieoffset(die, &offset, NULL) != DW_DLV_OK)
        return 0;
    return function_at(walk, offset);
}

static void add_way(struct ways *ways, evidence_key key) {
    if (key && ways->count < sizeof ways->keys / sizeof *ways->keys)
        ways->keys[ways->count++] = key;
}

static void enter_function(struct walk *walk, Dwarf_Die die, struct ways *into) {
    add_way(into, evidence_code(walk->evidence, function_of(walk, die), false));
}

static void enter_inlined(struct walk *walk, Dwarf_Die die, const struct ways *from, struct ways *into) {
    evidence_key function = function_of(walk, die);
    uint64_t file = debug_number(walk->debug, die, DW_AT_call_file);
    evidence_key file_key = file < walk->file_count ? walk->files[file] : 0;
    if (walk->is_linked)
        add_way(into, evidence_code(walk->evidence, function, true));
    if (!file_key)
        return;
    uint64_t line = debug_number(walk->debug, die, DW_AT_call_line);
    uint64_t column = debug_number(walk->debug, die, DW_AT_call_column);
    evidence_row(walk->evidence, file_key, line, column);
    for (size_t i = 0; i < from->count; i++)
        add_way(into, evidence_inlined(walk->evidence, from->keys[i], function, file_key, line, column));
}

/* With line tables only there are neither types nor the lines of definitions. */
static bool is_full_entry(Dwarf_Die die, Dwarf_Half tag) {
    return tag == DW_TAG_base_type ||
           (debug_has_attribute(die, DW_AT_decl_line) && !debug_has_attribute(die, DW_AT_declaration));
}

static void walk_children(struct walk *walk, Dwarf_Die parent, const struct ways *ways, int depth);

static void walk_entry(struct walk *walk, Dwarf_Die die, const struct ways *ways, int depth) {
    struct ways inner;
    Dwarf_Half tag = debug_tag(die);
    if (depth == 0 && !walk->has_full_entries)
        walk->has_full_entries = is_full_entry(die, tag);
    inner.count = 0;
    if (debug_is_transparent(tag))
        walk_children(walk, die, ways, depth + 1);
    else if (tag == DW_TAG_subprogram && debug_has_code(die)) {
        enter_function(walk, die, &inner);
        walk_children(walk, die, &inner, depth + 1);
    } else if (tag == DW_TAG_inlined_subroutine) {
        enter_inlined(walk, die, ways, &inner);
        if (inner.count || walk->is_linked)
            walk_children(walk, die, &inner, depth + 1);
    }
}

static void walk_children(struct walk *walk, Dwarf_Die parent, const struct ways *ways, int depth) {
    Dwarf_Die die = depth > DEPTH_MAX ? NULL : debug_child_of(parent);
    for (; die; die = debug_next_of(walk->debug, die, true))
        walk_entry(walk, die, ways, depth);
}

static void read_files(struct walk *walk, Dwarf_Line_Context lines) {
    Dwarf_Signed first, count, end;
    const char *compilation_directory = NULL, *name;
    Dwarf_Unsigned directory;
    dwarf_srclines_comp_dir(lines, &compilation_directory, NULL);
    if (dwarf_srclines_files_indexes(lines, &first, &count, &end, NULL) != DW_DLV_OK || end <= 0)
        return;
    walk->files = memory_zeros((size_t)end, sizeof *walk->files);
    walk->file_count = (size_t)end;
    for (Dwarf_Signed i = first; i < end; i++)
        if (dwarf_srclines_files_data_b(lines, i, &name, &directory, NULL, NULL, NULL, NULL) == DW_DLV_OK &&
            name)
            walk->files[i] = evidence_file(walk->evidence, compilation_directory,
                                           debug_line_directory(lines, directory), name);
}

static void read_row(void *context, const struct line_row *row) {
    struct walk *walk = context;
    if (!row->is_end && row->file < walk->file_count && walk->files[row->file])
        evidence_row(walk->evidence, walk->files[row->file], row->line, row->column);
}

/* Entries name files by the numbers of the line table, so its files come first; whether the unit has more
 * than line tables shows in its entries, so the rows come last. */
static void walk_unit(void *context, Dwarf_Die unit, const struct debug_unit_head *head) {
    struct walk *walk = context;
    Dwarf_Unsigned version;
    Dwarf_Small table_count;
    Dwarf_Line_Context lines = NULL;
    if (head->is_of_types)
        return;
    walk->has_full_entries = false;
    walk->has_split_unit |= debug_is_split(unit);
    if (dwarf_srclines_b(unit, &version, &table_count, &lines, NULL) == DW_DLV_OK)
        read_files(walk, lines);
    evidence_unit(walk->evidence, false);
    walk_children(walk, unit, &(struct ways){.count = 0}, 0);
    evidence_unit(walk->evidence, !walk->has_full_entries);
    if (lines) {
        debug_each_row(walk->handle, unit, read_row, walk);
        dwarf_srclines_dealloc_b(lines);
    }
    free(walk->files);
    walk->files = NULL;
    walk->file_count = 0;
}

/* Walks the debug information of a module once and hands all of it to the evidence. False: there is nothing
 * to check against; *why says why. libdwarf trusts what it reads more than it should: call this in a process
 * of its own. */
static bool debug_collect(const struct elf_file *elf, struct evidence *evidence, struct reason *why) {
    struct debug_handle handle;
    if (!debug_open(&handle, elf, why))
        return false;
    struct walk walk = {
        .handle = &handle, .debug = handle.debug, .evidence = evidence, .is_linked = elf->type != ET_REL};
    size_t units = debug_each_unit(walk.debug, walk_unit, &walk);
    number_map_free(&walk.functions);
    if (!debug_close(&handle, why))
        return false;
    if (walk.has_split_unit)
        return reason_set(why, "its debug information is split into .dwo files");
    return units > 0 || reason_set(why, "libdwarf cannot read its debug information");
}

/* ---- Checks a module's table against its debug information and writes what disagrees. */

struct verification {
    struct out *out;
    struct json json; /* if is_json */
    bool is_json;
    const char *module;
    const struct table *table;
    size_t counts[VERDICT_COUNT];
    const struct table_site *examples[VERDICT_COUNT];
};

static void write_site(struct out *out, const struct table_site *site) {
    out_place(out, &site->at);
    out_char(out, ' ');
    out_plain(out, site->callee);
    out_text(out, " in ");
    out_plain(out, site->at.function);
}

static void write_disagreement(struct out *out, const struct table_site *site, const struct reason *why) {
    out_text(out, "disagrees: ");
    write_site(out, site);
    out_text(out, ": ");
    out_plain(out, why->text);
    out_char(out, '\n');
}

static void write_disagreement_json(struct verification *all, const struct table_site *site,
                                    const struct reason *why) {
    struct place chain[TABLE_CHAIN_MAX];
    struct site_view view = sites_view(all->module, all->table, site, chain);
    json_open(&all->json, NULL, '{');
    json_site(&all->json, &view);
    json_text(&all->json, "reason", why->text);
    json_close(&all->json, '}');
}

static void begin(struct verification *all) {
    if (!all->is_json)
        return;
    all->json = json_begin(all->out, "allocsite-verify", 1);
    json_text(&all->json, "module", all->module);
    json_open(&all->json, "disagreements", '[');
}

/* Counts the site and, if it disagrees, names it. */
static void add(struct verification *all, const struct table_site *site, enum verdict verdict,
                const struct reason *why) {
    if (all->counts[verdict]++ == 0)
        all->examples[verdict] = site;
    if (verdict != VERDICT_DISAGREES)
        return;
    if (all->is_json)
        write_disagreement_json(all, site, why);
    else
        write_disagreement(all->out, site, why);
}

static size_t agreeing(const struct verification *all) {
    return all->counts[VERDICT_AGREES] + all->counts[VERDICT_AGREES_INLINED];
}

/* In the order of enum verdict. A site is named as an example: there can be thousands. */
static const struct {
    const char *key, *text;
} unchecked[VERDICT_COUNT] = {
    [VERDICT_NO_DEBUG_INFO] = {"no_debug_info", " in code without debug information, such as "},
    [VERDICT_LINE_TABLES_ONLY] = {"line_tables_only",
                                  " where the line is right and functions are not described, such as "},
    [VERDICT_NO_CODE] = {"no_code", " whose call was optimised away later, such as "},
};

static void write_unchecked(const struct verification *all, enum verdict verdict) {
    if (!unchecked[verdict].text || !all->counts[verdict])
        return;
    out_text(all->out, "cannot tell: ");
    out_u64(all->out, all->counts[verdict]);
    out_text(all->out, unchecked[verdict].text);
    write_site(all->out, all->examples[verdict]);
    out_char(all->out, '\n');
}

static void write_summary(const struct verification *all) {
    for (int verdict = 0; verdict < VERDICT_COUNT; verdict++)
        write_unchecked(all, verdict);
    out_text(all->out, "verified: ");
    out_u64(all->out, agreeing(all));
    out_text(all->out, " of ");
    out_u64(all->out, all->table->count);
    out_text(all->out, " sites agree");
    if (all->counts[VERDICT_AGREES_INLINED]) {
        out_text(all->out, ", ");
        out_u64(all->out, all->counts[VERDICT_AGREES_INLINED]);
        out_text(all->out, " of them in functions that were inlined later");
    }
    out_char(all->out, '\n');
}

static void write_summary_json(struct verification *all) {
    struct json *json = &all->json;
    json_close(json, ']');
    json_number(json, "sites", all->table->count);
    json_number(json, "agree", agreeing(all));
    json_number(json, "inlined_later", all->counts[VERDICT_AGREES_INLINED]);
    json_number(json, "disagree", all->counts[VERDICT_DISAGREES]);
    for (int verdict = 0; verdict < VERDICT_COUNT; verdict++)
        if (unchecked[verdict].key)
            json_number(json, unchecked[verdict].key, all->counts[verdict]);
    json_end(json);
}

static void end(struct verification *all) {
    if (all->is_json)
        write_summary_json(all);
    else
        write_summary(all);
}

/* The grounds of the verdict on a site. */
struct grounds {
    struct evidence evidence;
    struct number_map references; /* of a linked module */
    bool is_linked;
};

static bool collect(struct grounds *grounds, const struct elf_file *elf, const struct table *table,
                    struct reason *why) {
    grounds->is_linked = elf->type != ET_REL;
    evidence_open(&grounds->evidence, table);
    if (grounds->is_linked)
        code_references(&grounds->references, elf, table);
    return debug_collect(elf, &grounds->evidence, why);
}

static void discard(struct grounds *grounds) {
    evidence_close(&grounds->evidence);
    number_map_free(&grounds->references);
}

static enum verdict judge(const struct grounds *grounds, const struct table_site *site, struct reason *why) {
    enum verdict verdict = evidence_judge(&grounds->evidence, site, why);
    bool has_code = !grounds->is_linked || *number_map_find(&grounds->references, site->address);
    return verdict == VERDICT_DISAGREES && !has_code ? VERDICT_NO_CODE : verdict;
}

static int judge_all(struct verification *all, const struct grounds *grounds) {
    begin(all);
    for (size_t i = 0; i < all->table->count; i++) {
        struct reason why = {""};
        enum verdict verdict = judge(grounds, &all->table->sites[i], &why);
        add(all, &all->table->sites[i], verdict, &why);
    }
    end(all);
    int error = out_flush(all->out);
    if (error && error != EPIPE)
        complain("standard output", "%s", strerror(error));
    return error || all->counts[VERDICT_DISAGREES] ? STATUS_FAILED : STATUS_DONE;
}

struct task {
    struct verification all;
    const struct elf_file *elf;
};

/* Who closes the pipe to us ends the parent, not this process: that would seem to be libdwarf's doing. */
static int verify_there(void *context) {
    struct task *task = context;
    signal(SIGPIPE, SIG_IGN);
    struct verification *all = &task->all;
    struct grounds grounds = {0};
    struct reason why;
    bool is_collected = collect(&grounds, task->elf, all->table, &why);
    int status =
        is_collected ? judge_all(all, &grounds) : complain(all->module, "cannot verify: %s", why.text);
    discard(&grounds);
    return status;
}

int verify(struct out *out, bool is_json, const char *module, const struct elf_file *elf,
           const struct table *table) {
    struct task task = {{.out = out, .is_json = is_json, .module = module, .table = table}, elf};
    struct reason why;
    if (out_flush(out))
        return STATUS_FAILED;
    int status = debug_child(verify_there, &task, &why);
    if (status >= 0)
        return status;
    return complain(module, "cannot verify: %s", why.text);
}
