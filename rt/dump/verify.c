/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks a module's table against its debug information and writes what disagrees. */
#include "verify.h"

#include "code_references.h"
#include "command.h"
#include "dwarf.h"
#include "evidence.h"
#include "verify_write.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* A child that dies of damaged debug information leaves no core file, and one that does not end is stopped.
 */
static void limit_child(void) {
    enum { SECONDS = 600 };
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    setrlimit(RLIMIT_CPU, &(struct rlimit){SECONDS, SECONDS});
}

static int wait_for(pid_t child, const char *module) {
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) {
            complain(module, "cannot verify: %s", strerror(errno));
            return STATUS_FAILED;
        }
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    complain(module, "cannot verify: libdwarf failed on its debug information (%s)",
             strsignal(WTERMSIG(status)));
    return STATUS_FAILED;
}

int verify(struct out *out, bool is_json, const char *module, const struct elf_file *elf,
           const struct table *table) {
    if (out_flush(out))
        return STATUS_FAILED;
    pid_t child = fork();
    if (child < 0) {
        complain(module, "cannot verify: %s", strerror(errno));
        return STATUS_FAILED;
    }
    if (child > 0)
        return wait_for(child, module);
    limit_child();
    struct verification all = {.out = out, .is_json = is_json, .module = module, .table = table};
    _exit(verify_here(&all, elf));
}
