/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes findings for editors and CI, which show them at the source lines. */
#include "base/out.h"
#include "base/path.h"
#include "dump/findings/findings.h"
#include "write/summary.h"

#include <limits.h>
#include <string.h>

/* ---- Findings as workflow commands of GitHub Actions. */

static void put_data(struct out *out, const char *text) {
    out_command(out, text, "");
}

/* A colon or a comma ends a property. */
static void put_property(struct out *out, const char *text) {
    out_command(out, text, ":,");
}

static void put_place(struct out *out, const struct findings *findings, const struct place *place) {
    char shown[PATH_MAX];
    path_show(shown, sizeof shown, place->file, findings->report->directory);
    out_text(out, "file=");
    put_property(out, shown);
    out_print(out, ",line=%u", place->line);
    if (place->column)
        out_print(out, ",col=%u", place->column);
    out_char(out, ',');
}

/* A broken limit that no site caused is shown at its line of the budget file. */
static void put_finding(struct out *out, const struct findings *findings, const struct finding *finding) {
    static const char *const commands[] = {"::error ", "::warning ", "::notice "};
    const struct rule_text *rule = rule_text(finding->rule);
    const struct place *place = finding_place(finding->site),
                       budget = {.file = findings->budget_path,
                                 .line = finding->limit ? finding->limit->line : 0};
    out_text(out, commands[rule->level]);
    if (place || (finding->limit && strcmp(findings->budget_path, "-") != 0))
        put_place(out, findings, place ? place : &budget);
    out_text(out, "title=allocsite ");
    put_property(out, rule->name);
    out_text(out, "::");
    put_data(out, finding->what);
    out_char(out, '\n');
}

void findings_github(struct out *out, const struct findings *findings) {
    char text[1024];
    struct out reason;
    struct page page = {.out = &reason, .report = findings->report};
    for (size_t i = 0; i < findings->count; i++)
        put_finding(out, findings, &findings->list[i]);
    for (size_t i = 0; i < findings->report->reason_count; i++) {
        out_open_memory(&reason, text, sizeof text);
        summary_reason(&page, i);
        out_text(out, "::warning title=allocsite::exact: no, ");
        put_data(out, text);
        out_char(out, '\n');
    }
}

findings_function *findings_writer(const char *format) {
    return strcmp(format, "sarif") == 0    ? findings_sarif
           : strcmp(format, "github") == 0 ? findings_github
                                           : NULL;
}

/* ---- Findings as SARIF 2.1.0. */

static const char *level_name(enum level level) {
    static const char *const names[] = {"error", "warning", "note"};
    return names[level];
}

static void put_message(struct json *json, const char *key, const char *text) {
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

void findings_put_place(struct json *json, const struct place *place, const char *directory) {
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

static void put_location(struct json *json, const struct findings *findings, const struct report_site *site,
                         const char *message) {
    const struct place *place = finding_place(site);
    const char *function = place ? place->function : site->view.at.function;
    json_open(json, NULL, '{');
    if (place)
        findings_put_place(json, place, findings->report->directory);
    if (function) {
        json_open(json, "logicalLocations", '[');
        json_open(json, NULL, '{');
        json_text(json, "fullyQualifiedName", function);
        json_text(json, "kind", "function");
        json_close(json, '}');
        json_close(json, ']');
    }
    if (message)
        put_message(json, "message", message);
    json_close(json, '}');
}

/* A broken limit that no site caused is located at its line of the budget file. */
static void put_locations(struct json *json, const struct findings *findings, const struct finding *finding) {
    json_open(json, "locations", '[');
    if (finding->site)
        put_location(json, findings, finding->site, NULL);
    else if (finding->limit && strcmp(findings->budget_path, "-") != 0) {
        const struct place place = {.file = findings->budget_path, .line = finding->limit->line};
        json_open(json, NULL, '{');
        findings_put_place(json, &place, findings->report->directory);
        json_close(json, '}');
    }
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
    json_open_line(json, NULL, '{');
    json_text(json, "ruleId", rule->name);
    json_number(json, "ruleIndex", finding->rule);
    json_text(json, "level", level_name(rule->level));
    put_message(json, "message", finding->what);
    put_locations(json, findings, finding);
    put_fingerprints(json, finding);
    json_close(json, '}');
}

static void put_rule(struct json *json, enum rule rule) {
    const struct rule_text *text = rule_text(rule);
    json_open_line(json, NULL, '{');
    json_text(json, "id", text->name);
    put_message(json, "shortDescription", text->meaning);
    json_open(json, "defaultConfiguration", '{');
    json_text(json, "level", level_name(text->level));
    json_close(json, '}');
    json_close(json, '}');
}

static void put_tool(struct json *json) {
    json_open(json, "tool", '{');
    json_open(json, "driver", '{');
    json_text(json, "name", "allocsite");
    json_open(json, "rules", '[');
    for (int rule = 0; rule < RULES; rule++)
        put_rule(json, (enum rule)rule);
    json_close(json, ']');
    json_close(json, '}');
    json_close(json, '}');
}

static void put_notification(struct json *json, const char *level, const char *text) {
    json_open_line(json, NULL, '{');
    json_text(json, "level", level);
    put_message(json, "message", text);
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
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    json_text(&json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    json_text(&json, "version", "2.1.0");
    json_open(&json, "runs", '[');
    json_open(&json, NULL, '{');
    put_tool(&json);
    json_line(&json);
    put_invocation(&json, findings);
    json_text(&json, "columnKind", "utf16CodeUnits");
    json_open_line(&json, "results", '[');
    for (size_t i = 0; i < findings->count; i++)
        put_result(&json, findings, &findings->list[i]);
    json_close(&json, ']');
    json_close(&json, '}');
    json_close(&json, ']');
    json_end(&json);
}
