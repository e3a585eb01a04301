/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decodes site tables: takes bytes at addresses and returns sites. Depends on rt/format.h, not on ELF. */
#ifndef ALLOCSITE_DUMP_TABLE_TABLE_H
#define ALLOCSITE_DUMP_TABLE_TABLE_H

#include "base/out.h"
#include "dump/base/terminal.h"
#include "dump/elf/elf_file.h"
#include "model/site.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the module at an address. The bytes are borrowed. */
struct table_region {
    uint64_t address;
    const unsigned char *bytes;
    uint64_t size;
};

struct table_regions {
    struct table_region *items;
    size_t count;
};

/* The regions of a module. A relocatable object has many regions of each kind, a linked module has one. */
struct table_input {
    struct table_regions sites, frames, strings, functions, calls;
};

struct table_site {
    uint64_t address; /* of the descriptor */
    uint64_t hash;
    struct place at;
    const char *callee;
    const char *type; /* NULL: unknown */
    uint64_t caller;  /* address of the innermost caller's frame; 0: not inlined */
    uint8_t kind;     /* enum allocsite_kind */
};

/* A pass-through function (struct allocsite_function has the rules). */
struct table_function {
    const char *symbol;   /* NULL: every function written in the file */
    const char *function; /* as sites show it; NULL if symbol is NULL */
    const char *file;     /* NULL: unknown, only declared here */
    const char *depends;  /* symbol of a function that must pass through, too; NULL: none */
    uint32_t flags;       /* enum allocsite_function_flag */
};

/* A call that knows the type of a block which functions hand to it, or hands such a block on itself (struct
 * allocsite_call). */
struct table_call {
    struct place at;
    const char *type; /* NULL: unknown */
    uint32_t flags;   /* enum allocsite_call_flag */
};

/* Distinct sites, ordered by file, line, column and function. Strings point into the input's bytes. */
struct table {
    struct table_site *sites;
    size_t count;
    struct table_function *functions; /* distinct, ordered by symbol, file, depends; NULL comes last */
    size_t function_count;
    struct table_call *calls; /* each as often as objects have it */
    size_t call_count;
    struct table_input input;
};

/* Longer chains are damaged. No inliner reaches this depth. */
enum { TABLE_CHAIN_MAX = 512 };

/* Decodes and validates everything, so later readers cannot fail. Sorts the input's regions and refers to
 * them until table_free. False: *why says what is damaged. */
bool table_decode(struct table *, struct table_input, struct reason *why);
void table_free(struct table *);

/* Writes the chain of callers, innermost first. Returns its length. */
size_t table_callers(const struct table *, const struct table_site *, struct place chain[TABLE_CHAIN_MAX]);

/* "alloc", "realloc", "free". */
const char *table_kind_name(uint8_t kind);

/* ---- The site table of an ELF file. */

struct module_table {
    struct table table;
    struct table_region *regions; /* of all kinds */
    unsigned char **copies;       /* of each section of a relocatable object; NULL: not copied */
    size_t count;                 /* of copies */
};

/* Strings of the table point into the file's bytes, which must outlive it. False: *why has the reason. */
bool module_table_read(struct module_table *, const struct elf_file *, struct reason *why);
void module_table_free(struct module_table *);

/* True if the file has a section for sites, functions or calls, even an invalid one. */
bool module_has_table(const struct elf_file *);

/* ---- The output of `allocsite-dump sites`: the table of one module, as text or JSON. */

/* Options of the output. */
struct listing {
    bool has_frees; /* include sites that only free */
    bool full_names;
};

/* By file: one or two lines for each site, one for its inline chain, and a line of counts. */
void sites_text(struct out *, const struct table *, const struct listing *);

/* Writes a document of the format "allocsite-sites" on one line. */
void sites_json(struct out *, const char *module, const struct table *);

#endif
