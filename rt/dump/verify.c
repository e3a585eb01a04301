/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks a module's table against its debug information and writes what disagrees. */
#include "verify.h"

#include "code_references.h"
#include "command.h"
#include "debug_child.h"
#include "dwarf.h"
#include "evidence.h"
#include "verify_write.h"

#include <elf.h>
#include <string.h>

/* What the verdict on a site is reached from. */
struct grounds {
    struct evidence evidence;
    struct marks references; /* of a linked module */
    bool is_linked;
};

static bool collect(struct grounds *grounds, const struct elf_file *elf, const struct table *table,
                    struct reason *why) {
    grounds->is_linked = elf->type != ET_REL;
    if (!evidence_open(&grounds->evidence, table) ||
        (grounds->is_linked && !code_references(&grounds->references, elf, table)))
        return reason_set(why, "out of memory");
    return dwarf_collect(elf, &grounds->evidence, why);
}

static void discard(struct grounds *grounds) {
    evidence_close(&grounds->evidence);
    marks_free(&grounds->references);
}

static enum verdict judge(const struct grounds *grounds, const struct table_site *site, struct reason *why) {
    enum verdict verdict = evidence_judge(&grounds->evidence, site, why);
    bool has_code = !grounds->is_linked || marks_of(&grounds->references, site->address);
    return verdict == VERDICT_DISAGREES && !has_code ? VERDICT_NO_CODE : verdict;
}

static int judge_all(struct verification *all, const struct grounds *grounds) {
    verification_begin(all);
    for (size_t i = 0; i < all->table->count; i++) {
        struct reason why = {""};
        enum verdict verdict = judge(grounds, &all->table->sites[i], &why);
        verification_add(all, &all->table->sites[i], verdict, &why);
    }
    verification_end(all);
    int error = out_flush(all->out);
    if (error)
        complain("standard output", "%s", strerror(error));
    return error || all->counts[VERDICT_DISAGREES] ? STATUS_FAILED : STATUS_DONE;
}

static int verify_here(struct verification *all, const struct elf_file *elf) {
    struct grounds grounds = {0};
    struct reason why;
    int status = STATUS_FAILED;
    if (collect(&grounds, elf, all->table, &why))
        status = judge_all(all, &grounds);
    else
        complain(all->module, "cannot verify: %s", why.text);
    discard(&grounds);
    return status;
}

struct task {
    struct verification all;
    const struct elf_file *elf;
};

static int verify_there(void *context) {
    struct task *task = context;
    return verify_here(&task->all, task->elf);
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
    complain(module, "cannot verify: %s", why.text);
    return STATUS_FAILED;
}
