/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks a module's table against its debug information and writes what disagrees. */
#ifndef ALLOCSITE_DUMP_VERIFY_VERIFY_H
#define ALLOCSITE_DUMP_VERIFY_VERIFY_H

#include "base/out.h"
#include "dump/base/hash_index.h"
#include "dump/elf/elf_file.h"
#include "dump/table/table.h"

/* Runs in a process of its own, so that damaged debug information cannot take the caller along. Returns an
 * exit status, STATUS_DONE if every site that can be checked agrees; flushes the writer. */
int verify(struct out *, bool is_json, const char *module, const struct elf_file *, const struct table *);

/* ---- The evidence of a program's debug information about the sites of its table.
 *
 * Theory of operation: debug information is large and a table is small, so nothing of the former is kept. The
 * facts that the table's sites need are put into a set first, as hashes; then the debug information is walked
 * once, every fact in it that is wanted gets marked, and each site is judged by the marks of its facts. An
 * inline chain is one fact for each step, the hash of the whole way in from the outermost function. The
 * walker can leave out whatever lies inside of something that is not wanted.
 *
 * Nothing but verify.c knows how it is read. */

struct evidence {
    const struct table *table;
    struct number_map marks; /* that each wanted key was seen with */
    unsigned char unit;      /* the mark that the present unit gives */
};

/* The table must outlive the evidence. */
void evidence_open(struct evidence *, const struct table *);
void evidence_close(struct evidence *);

/* A key of a file, a function or a way in; 0: no site needs it. */
typedef uint64_t evidence_key;

/* All that follows is of one unit. is_minimal: it has line tables only, functions need not be described. */
void evidence_unit(struct evidence *, bool is_minimal);

/* A file of the unit's line table. The directories may be NULL. */
evidence_key evidence_file(struct evidence *, const char *compilation_directory, const char *directory,
                           const char *name);

/* A row of the unit's line table, or the call of an inlined function, of which no row needs to be left: where
 * that is a wrapper, the site is the call. */
void evidence_row(struct evidence *, evidence_key file, uint64_t line, uint64_t column);

/* A function that the unit defines. Either name may be NULL. */
evidence_key evidence_function(struct evidence *, const char *name, const char *linkage_name);

/* Where a way in can begin: code of a function, on its own or inlined somewhere. The latter is where a site's
 * function went if it was inlined after the table was made, at link time. */
evidence_key evidence_code(struct evidence *, evidence_key function, bool is_inlined);

/* The call of a function that was inlined into the code at a way in. */
evidence_key evidence_inlined(struct evidence *, evidence_key way, evidence_key function, evidence_key file,
                              uint64_t line, uint64_t column);

enum verdict {
    VERDICT_AGREES,
    VERDICT_AGREES_INLINED, /* agrees, and its outermost function was inlined once more after that */
    VERDICT_DISAGREES,
    VERDICT_NO_DEBUG_INFO,    /* for the code that the site is in */
    VERDICT_LINE_TABLES_ONLY, /* the line is there, but functions are not described */
    VERDICT_NO_CODE,          /* never from here: the call is gone, see code_references */
    VERDICT_COUNT
};

/* *why says what disagrees. */
enum verdict evidence_judge(const struct evidence *, const struct table_site *, struct reason *why);

/* ---- Which sites the code of a linked module still refers to. */

/* Fills the map with the addresses of the sites, 1 where code refers to one. */
void code_references(struct number_map *, const struct elf_file *, const struct table *);

#endif
