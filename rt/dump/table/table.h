/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decoding of a site table: bytes at addresses in, sites out. Knows rt/format.h and nothing of ELF. */
#ifndef ALLOCSITE_DUMP_TABLE_TABLE_H
#define ALLOCSITE_DUMP_TABLE_TABLE_H

#include "base/out.h"
#include "dump/base/terminal.h"
#include "dump/elf/elf_file.h"
#include "model/site.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the module at their address. The bytes are borrowed. */
struct table_region {
    uint64_t address;
    const unsigned char *bytes;
    uint64_t size;
};

struct table_regions {
    struct table_region *items;
    size_t count;
};

/* The regions that a module carries. A relocatable object has many regions of a kind, a linked module one. */
struct table_input {
    struct table_regions sites, frames, strings, functions;
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

/* A function that places past itself the line of what it allocates (struct allocsite_function has the
 * rules). */
struct table_function {
    const char *symbol;   /* NULL: every function that is written in the file */
    const char *function; /* as sites show it; NULL along with the symbol */
    const char *file;     /* NULL: unknown, only declared here */
    const char *depends;  /* symbol of a function that has to pass through as well; NULL: none */
    uint32_t flags;       /* enum allocsite_function_flag */
};

/* Sites in the order of file, line, column, function; each once. Strings point into the input's bytes. */
struct table {
    struct table_site *sites;
    size_t count;
    struct table_function *functions; /* by symbol, file, depends, those without one last; each once */
    size_t function_count;
    struct table_input input;
};

/* A chain that is longer is damaged: it ends somewhere, and no inliner goes so deep. */
enum { TABLE_CHAIN_MAX = 512 };

/* Decodes and checks everything, so that what reads the table later cannot fail. Sorts the input's regions
 * and keeps a reference to them until table_free. False: *why says what is damaged. */
bool table_decode(struct table *, struct table_input, struct reason *why);
void table_free(struct table *);

/* The chain of callers, innermost first. Returns its length. */
size_t table_callers(const struct table *, const struct table_site *, struct place chain[TABLE_CHAIN_MAX]);

/* "alloc", "realloc", "free". */
const char *table_kind_name(uint8_t kind);

/* ---- The site table of an ELF file: finds its sections, relocates them in a relocatable object, decodes
 * them. */

struct module_table {
    struct table table;
    struct table_region *regions; /* of all kinds */
    unsigned char **copies;       /* of each section of a relocatable object; NULL: not copied */
    size_t count;                 /* of copies */
};

/* Strings of the table point into the file's bytes, which must outlive it. On failure *why says what is
 * wrong. */
bool module_table_read(struct module_table *, const struct elf_file *, struct reason *why);
void module_table_free(struct module_table *);

/* Whether the file has a section for sites or functions at all, whatever is in it. */
bool module_has_table(const struct elf_file *);

/* ---- The output of `allocsite-dump sites`: the table of one module, as text or JSON. */

struct site_view;

/* The site as the shared writers see it; chain is where its callers go. */
struct site_view sites_view(const char *module, const struct table *, const struct table_site *,
                            struct place chain[TABLE_CHAIN_MAX]);

/* What people want of the table. */
struct listing {
    bool has_frees; /* sites that only free, too */
    bool full_names;
};

/* By file: a line or two for each site, one for its inline chain, and a line of counts. */
void sites_text(struct out *, const struct table *, const struct listing *);

/* One line: a document of the format "allocsite-sites". */
void sites_json(struct out *, const char *module, const struct table *);

#endif
