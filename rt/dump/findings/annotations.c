/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes annotations, and findings as annotations. */
#include "dump/findings/annotations.h"

#include "base/out.h"
#include "base/path.h"
#include "dump/findings/findings.h"
#include "write/summary.h"

#include <limits.h>
#include <string.h>

/* ---- Workflow commands of GitHub Actions. */

/* A colon or a comma ends a property. */
static void put_property(struct out *out, const char *name, const char *text) {
    out_text(out, name);
    out_command(out, text, ":,");
}

static void put_place(struct out *out, const struct place *place, const char *directory) {
    char shown[PATH_MAX];
    path_show(shown, sizeof shown, place->file, directory);
    put_property(out, "file=", shown);
    out_print(out, ",line=%u", place->line);
    if (place->column)
        out_print(out, ",col=%u", place->column);
    out_char(out, ',');
}

void github_command(struct out *out, const char *level, const struct place *place, const char *directory,
                    const char *name, const char *text) {
    out_print(out, "::%s ", strcmp(level, "note") == 0 ? "notice" : level);
    if (place)
        put_place(out, place, directory);
    put_property(out, *name ? "title=allocsite " : "title=allocsite", name);
    out_text(out, "::");
    out_command(out, text, "");
    out_char(out, '\n');
}

/* ---- SARIF 2.1.0. */

void sarif_message(struct json *json, const char *key, const char *text) {
    json_open(json, key, '{');
    json_text(json, "text", text);
    json_close(json, '}');
}

/* A path below the current directory, which is taken to be the root of the source, is relative. Any other
 * path is a file:// URI. */
static void put_uri(struct json *json, const char *path, const char *directory) {
    char shown[PATH_MAX];
    path_show(shown, sizeof shown, path, directory);
    json_key(json, "uri");
    out_print(json->out, "\"%s", shown[0] == '/' ? "file://" : "");
    for (const char *at = shown; *at; at++) {
        bool is_plain = (*at >= '0' && *at <= '9') || ((*at | 32) >= 'a' && (*at | 32) <= 'z');
        (is_plain || strchr("-._~/", *at) ? out_char : out_percent)(json->out, *at);
    }
    out_char(json->out, '"');
}

static void put_physical(struct json *json, const struct place *place, const char *directory) {
    json_open(json, "physicalLocation", '{');
    json_open(json, "artifactLocation", '{');
    put_uri(json, place->file, directory);
    json_close(json, '}');
    json_open(json, "region", '{');
    json_number(json, "startLine", place->line);
    if (place->column)
        json_number(json, "startColumn", place->column);
    json_close(json, '}');
    json_close(json, '}');
}

void sarif_location(struct json *json, const struct place *place, const char *function, const char *directory,
                    const char *message) {
    json_open(json, NULL, '{');
    if (place)
        put_physical(json, place, directory);
    if (function) {
        json_open(json, "logicalLocations", '[');
        json_open(json, NULL, '{');
        json_text(json, "fullyQualifiedName", function);
        json_text(json, "kind", "function");
        json_close(json, '}');
        json_close(json, ']');
    }
    if (message)
        sarif_message(json, "message", message);
    json_close(json, '}');
}

struct json sarif_begin(struct out *out) {
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    json_text(&json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    json_text(&json, "version", "2.1.0");
    json_open(&json, "runs", '[');
    json_open(&json, NULL, '{');
    json_open(&json, "tool", '{');
    json_open(&json, "driver", '{');
    json_text(&json, "name", "allocsite");
    json_open(&json, "rules", '[');
    return json;
}

void sarif_rule(struct json *json, const char *id, const char *meaning, const char *level) {
    json_open_line(json, NULL, '{');
    json_text(json, "id", id);
    sarif_message(json, "shortDescription", meaning);
    json_open(json, "defaultConfiguration", '{');
    json_text(json, "level", level);
    json_close(json, '}');
    json_close(json, '}');
}

void sarif_end_rules(struct json *json) {
    json_close(json, ']');
    json_close(json, '}');
    json_close(json, '}');
    json_line(json);
}

void sarif_begin_results(struct json *json) {
    json_text(json, "columnKind", "utf16CodeUnits");
    json_open_line(json, "results", '[');
}

void sarif_begin_result(struct json *json, const char *rule, const char *level, const char *text) {
    json_open_line(json, NULL, '{');
    json_text(json, "ruleId", rule);
    json_text(json, "level", level);
    sarif_message(json, "message", text);
}

void sarif_end(struct json *json) {
    json_close(json, ']');
    json_close(json, '}');
    json_close(json, ']');
    json_end(json);
}

/* ---- Findings. */

static const char *level_name(enum level level) {
    static const char *const names[] = {"error", "warning", "note"};
    return names[level];
}

/* The line of a broken limit that no site caused, in the budget file. Returns false if there is none. */
static bool is_in_budget(const struct findings *findings, const struct finding *finding,
                         struct place *place) {
    if (!finding->limit || strcmp(findings->budget_path, "-") == 0)
        return false;
    *place = (struct place){.file = findings->budget_path, .line = finding->limit->line};
    return true;
}

void findings_github(struct out *out, const struct findings *findings) {
    const struct report *report = findings->report;
    struct place budget;
    char text[1024];
    struct out reason;
    struct page page = {.out = &reason, .report = report};
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->list[i];
        const struct rule_text *rule = rule_text(finding->rule);
        const struct place *place = finding_place(finding->site);
        if (!place && is_in_budget(findings, finding, &budget))
            place = &budget;
        github_command(out, level_name(rule->level), place, report->directory, rule->name, finding->what);
    }
    for (size_t i = 0; i < report->reason_count; i++) {
        out_open_memory(&reason, text, sizeof text);
        out_text(&reason, "exact: no, ");
        summary_reason(&page, i);
        github_command(out, "warning", NULL, NULL, "", text);
    }
}

findings_function *findings_writer(const char *format) {
    return strcmp(format, "sarif") == 0    ? findings_sarif
           : strcmp(format, "github") == 0 ? findings_github
                                           : NULL;
}

static void put_location(struct json *json, const struct findings *findings, const struct report_site *site,
                         const char *message) {
    const struct place *place = finding_place(site);
    sarif_location(json, place, place ? place->function : site->view.at.function, findings->report->directory,
                   message);
}

static void put_locations(struct json *json, const struct findings *findings, const struct finding *finding) {
    struct place budget;
    json_open(json, "locations", '[');
    if (finding->site)
        put_location(json, findings, finding->site, NULL);
    else if (is_in_budget(findings, finding, &budget))
        sarif_location(json, &budget, NULL, findings->report->directory, NULL);
    json_close(json, ']');
    if (!finding->other_count)
        return;
    json_open(json, "relatedLocations", '[');
    for (size_t i = 0; i < finding->other_count; i++)
        put_location(json, findings, finding->others[i],
                     finding->limit ? "this site is part of the sum" : "the block was allocated here");
    json_close(json, ']');
}

/* A fingerprint identifies the same finding in another run. A site's id survives edits above its function. */
static void put_fingerprints(struct json *json, const struct finding *finding) {
    char limit[512];
    struct out out;
    json_open(json, "partialFingerprints", '{');
    if (finding->limit) {
        out_open_memory(&out, limit, sizeof limit);
        check_say_limit(&out, finding->limit);
        json_text(json, "allocsiteLimit/v1", limit);
    } else if (finding->site)
        json_id(json, "allocsiteSite/v1", finding->site->view.id);
    json_close(json, '}');
}

static void put_result(struct json *json, const struct findings *findings, const struct finding *finding) {
    const struct rule_text *rule = rule_text(finding->rule);
    sarif_begin_result(json, rule->name, level_name(rule->level), finding->what);
    json_number(json, "ruleIndex", finding->rule);
    put_locations(json, findings, finding);
    put_fingerprints(json, finding);
    json_close(json, '}');
}

static void put_notification(struct json *json, const char *level, const char *text) {
    json_open_line(json, NULL, '{');
    json_text(json, "level", level);
    sarif_message(json, "message", text);
    json_close(json, '}');
}

/* Reports why the numbers are not exact, and which options would give more advice. */
static void put_invocation(struct json *json, const struct findings *findings) {
    char text[1024];
    struct out out;
    struct page page = {.out = &out, .report = findings->report};
    json_open(json, "invocations", '[');
    json_open(json, NULL, '{');
    json_flag(json, "executionSuccessful", !findings->report->damaged);
    json_open(json, "toolExecutionNotifications", '[');
    for (size_t i = 0; i < findings->report->reason_count; i++) {
        out_open_memory(&out, text, sizeof text);
        out_text(&out, "exact: no, ");
        summary_reason(&page, i);
        put_notification(json, "warning", text);
    }
    for (size_t i = 0; i < findings->hint_count; i++)
        put_notification(json, "note", findings->hints[i]);
    json_close(json, ']');
    json_close(json, '}');
    json_close(json, ']');
}

void findings_sarif(struct out *out, const struct findings *findings) {
    struct json json = sarif_begin(out);
    for (int number = 0; number < RULES; number++) {
        const struct rule_text *rule = rule_text((enum rule)number);
        sarif_rule(&json, rule->name, rule->meaning, level_name(rule->level));
    }
    sarif_end_rules(&json);
    put_invocation(&json, findings);
    sarif_begin_results(&json);
    for (size_t i = 0; i < findings->count; i++)
        put_result(&json, findings, &findings->list[i]);
    sarif_end(&json);
}
