/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The site table as JSON. */
#include "sites.h"

#include "../lib/site_json.h"

struct site_view sites_view(const char *module, const struct table *table, const struct table_site *site,
                            struct place chain[TABLE_CHAIN_MAX]) {
    return (struct site_view){
        .id = site->hash,
        .module = module,
        .sited = true,
        .at = site->at,
        .callee = site->callee,
        .type = site->type,
        .inlined = chain,
        .inlined_count = table_callers(table, site, chain),
        .of_wrapper = site->of_wrapper,
    };
}

static void write_site(struct out *out, const char *module, const struct table *table,
                       const struct table_site *site) {
    struct place chain[TABLE_CHAIN_MAX];
    struct site_view view = sites_view(module, table, site, chain);
    out_char(out, '{');
    site_json_fields(out, &view);
    out_text(out, ",\"kind\":\"");
    out_text(out, table_kind_name(site->kind));
    out_text(out, "\"}");
}

void sites_json(struct out *out, const char *module, const struct table *table) {
    out_text(out, "{\"format\":\"allocsite-sites\",\"version\":1,\"module\":");
    out_json_string(out, module);
    out_text(out, ",\"sites\":[");
    for (size_t i = 0; i < table->count; i++) {
        out_text(out, i ? "," : "");
        write_site(out, module, table, &table->sites[i]);
    }
    out_text(out, "]}\n");
}
