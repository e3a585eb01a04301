/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks a module's table against its debug information and writes what disagrees. */
#include "dump/verify/verify.h"

#include "dump/base/complain.h"
#include "dump/debug/child.h"
#include "dump/table/listing.h"
#include "dump/verify/evidence.h"
#include "write/json.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <string.h>

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
