/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The results of a sweep for people, programs, editors and CI. */
#include "base/path.h"
#include "dump/base/memory.h"
#include "dump/findings/findings.h"
#include "dump/run/sweep.h"
#include "names/names.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static size_t count_of(const struct sweep *sweep, enum sweep_verdict verdict, bool known) {
    size_t count = 0;
    for (size_t i = 0; i < sweep->count; i++)
        count += sweep->points[i].verdict == verdict && !sweep->points[i].known == !known;
    return count;
}

/* True if people should look at it. */
static bool is_finding(const struct sweep_point *point) {
    return point->verdict >= SWEEP_DIFFERS && !point->known;
}

static const char *signal_name(uint64_t number) {
    const char *name = number < 65 ? sigabbrev_np((int)number) : NULL;
    return name ?: "a signal";
}

/* "exit status 1", "SIGSEGV" */
static char *end_text(const struct sweep_point *point) {
    if (point->verdict == SWEEP_HANG)
        return memory_text("killed after the time limit");
    if (point->signal)
        return memory_text("SIG%s", signal_name(point->signal));
    if (point->status > 128)
        return memory_text("SIG%s", signal_name(point->status - 128));
    return memory_text("exit status %ju", (uintmax_t)point->status);
}

static char *where_text(const struct sweep_point *point) {
    char shown[PATH_MAX], directory[PATH_MAX];
    if (point->file && point->line) {
        path_show(shown, sizeof shown, point->file, getcwd(directory, sizeof directory));
        return memory_text("%s:%ju: %s", shown, (uintmax_t)point->line, point->function ?: "?");
    }
    return memory_text("%s", point->stack.count ? point->stack.list[0] : "?");
}

/* One sentence for editors and CI. */
static char *sentence(const struct sweep_point *point) {
    char *end = end_text(point);
    const char *detail = point->details.count ? point->details.list[0]
                         : point->at.count    ? point->at.list[0]
                                              : NULL;
    char *text = memory_text("if this allocation fails: %s, %s%s%s%s%s", sweep_verdicts[point->verdict].name,
                             end, detail ? "; " : "", detail ?: "", point->message ? "; last message: " : "",
                             point->message ?: "");
    free(end);
    return text;
}

/* ---- Text. */

static void put_lines(struct out *out, const char *head, const struct sweep_texts *texts) {
    for (size_t i = 0; i < texts->count; i++) {
        out_text(out, i ? "             " : head);
        out_plain(out, texts->list[i]);
        out_char(out, '\n');
    }
}

static void put_point(struct out *out, const struct sweep_point *point) {
    char *where = where_text(point), *end = end_text(point);
    out_print(out, "%s: ", sweep_verdicts[point->verdict].name);
    out_plain(out, where);
    out_text(out, " (id ");
    out_hex16(out, point->id);
    out_text(out, ")\n  ended by:  ");
    out_plain(out, end);
    out_char(out, '\n');
    if (point->message) {
        out_text(out, "  message:   ");
        out_plain(out, point->message);
        out_char(out, '\n');
    }
    put_lines(out, point->verdict == SWEEP_LEAK ? "  leaked:    " : "  fault:     ", &point->details);
    put_lines(out, "  at:        ", &point->at);
    put_lines(out, "  failed:    ", &point->stack);
    out_char(out, '\n');
    free(where);
    free(end);
}

static void put_counts(struct out *out, const struct sweep *sweep) {
    size_t known = 0;
    out_print(out, "%lu%s", sweep->count, sweep->per_site ? " sites" : " call paths");
    for (int verdict = SWEEP_VERDICT_COUNT - 1; verdict >= 0; verdict--) {
        size_t count = count_of(sweep, (enum sweep_verdict)verdict, false);
        known += count_of(sweep, (enum sweep_verdict)verdict, true);
        if (count)
            out_print(out, ", %lu %s", count, sweep_verdicts[verdict].name);
    }
    if (known)
        out_print(out, ", %lu known", known);
    out_char(out, '\n');
}

void sweep_text(struct out *out, const struct sweep *sweep) {
    for (size_t i = 0; i < sweep->count; i++)
        if (is_finding(&sweep->points[i]))
            put_point(out, &sweep->points[i]);
    put_counts(out, sweep);
    if (sweep->output_varies)
        out_text(out, "the output differs from run to run and was not compared\n");
    if (sweep->is_interrupted)
        out_text(out, "interrupted\n");
}

/* ---- JSON. */

void sweep_json(struct out *out, const struct sweep *sweep) {
    struct json json = json_begin(out, "allocsite-sweep", 1);
    json_open(&json, "command", '[');
    for (char **word = sweep->command; *word; word++)
        json_text(&json, NULL, *word);
    json_close(&json, ']');
    json_text(&json, "per", sweep->per_site ? "site" : "path");
    json_flag(&json, "interrupted", sweep->is_interrupted);
    json_flag(&json, "output_varies", sweep->output_varies);
    json_open(&json, "plain", '{');
    json_number(&json, "status", sweep->plain.status);
    json_number(&json, "milliseconds", sweep->plain.milliseconds);
    json_close(&json, '}');
    json_open(&json, "points", '[');
    for (size_t i = 0; i < sweep->count; i++) {
        json_open_line(&json, NULL, '{');
        sweep_point_write(&json, &sweep->points[i]);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_end(&json);
}

/* ---- GitHub Actions. */

static void put_property(struct out *out, const char *name, const char *value) {
    out_text(out, name);
    out_command(out, value, ":,");
}

void sweep_github(struct out *out, const struct sweep *sweep) {
    char shown[PATH_MAX], directory[PATH_MAX], *root = getcwd(directory, sizeof directory);
    for (size_t i = 0; i < sweep->count; i++) {
        const struct sweep_point *point = &sweep->points[i];
        const struct sweep_verdict_text *verdict = &sweep_verdicts[point->verdict];
        if (!is_finding(point))
            continue;
        char *text = sentence(point);
        out_print(out, "::%s ", strcmp(verdict->level, "note") == 0 ? "notice" : verdict->level);
        if (point->file && point->line) {
            path_show(shown, sizeof shown, point->file, root);
            put_property(out, "file=", shown);
            out_print(out, ",line=%lu,", point->line);
        }
        put_property(out, "title=allocsite ", verdict->name);
        out_text(out, "::");
        out_command(out, text, "");
        out_char(out, '\n');
        free(text);
    }
}

/* ---- SARIF 2.1.0. */

static void put_message(struct json *json, const char *key, const char *text) {
    json_open(json, key, '{');
    json_text(json, "text", text);
    json_close(json, '}');
}

static void put_location(struct json *json, const struct sweep_point *point, const char *root) {
    const struct place place = {.file = point->file, .line = (uint32_t)point->line};
    json_open(json, NULL, '{');
    if (point->file && point->line)
        findings_put_place(json, &place, root);
    if (point->function) {
        json_open(json, "logicalLocations", '[');
        json_open(json, NULL, '{');
        json_text(json, "fullyQualifiedName", point->function);
        json_text(json, "kind", "function");
        json_close(json, '}');
        json_close(json, ']');
    }
    json_close(json, '}');
}

static void put_stack(struct json *json, const char *title, const struct sweep_texts *texts) {
    if (!texts->count)
        return;
    json_open(json, NULL, '{');
    put_message(json, "message", title);
    json_open(json, "frames", '[');
    for (size_t i = 0; i < texts->count; i++) {
        json_open(json, NULL, '{');
        json_open(json, "location", '{');
        put_message(json, "message", texts->list[i]);
        json_close(json, '}');
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

static void put_result(struct json *json, const struct sweep_point *point, const char *root) {
    char *text = sentence(point);
    json_open_line(json, NULL, '{');
    json_text(json, "ruleId", sweep_verdicts[point->verdict].name);
    json_text(json, "level", sweep_verdicts[point->verdict].level);
    put_message(json, "message", text);
    json_open(json, "locations", '[');
    put_location(json, point, root);
    json_close(json, ']');
    json_open(json, "stacks", '[');
    put_stack(json, "the allocation that failed", &point->stack);
    put_stack(json, "the end of the program", &point->at);
    json_close(json, ']');
    json_open(json, "partialFingerprints", '{');
    json_id(json, "allocsiteSweep/v1", sweep_point_fingerprint(point));
    json_close(json, '}');
    json_close(json, '}');
    free(text);
}

static void put_tool(struct json *json) {
    json_open(json, "tool", '{');
    json_open(json, "driver", '{');
    json_text(json, "name", "allocsite");
    json_open(json, "rules", '[');
    for (int verdict = SWEEP_DIFFERS; verdict < SWEEP_VERDICT_COUNT; verdict++) {
        json_open_line(json, NULL, '{');
        json_text(json, "id", sweep_verdicts[verdict].name);
        put_message(json, "shortDescription", sweep_verdicts[verdict].meaning);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
    json_close(json, '}');
}

void sweep_sarif(struct out *out, const struct sweep *sweep) {
    struct json json = {.out = out};
    char directory[PATH_MAX], *root = getcwd(directory, sizeof directory);
    json_open(&json, NULL, '{');
    json_text(&json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    json_text(&json, "version", "2.1.0");
    json_open(&json, "runs", '[');
    json_open(&json, NULL, '{');
    put_tool(&json);
    json_text(&json, "columnKind", "utf16CodeUnits");
    json_open_line(&json, "results", '[');
    for (size_t i = 0; i < sweep->count; i++)
        if (is_finding(&sweep->points[i]))
            put_result(&json, &sweep->points[i], root);
    json_close(&json, ']');
    json_close(&json, '}');
    json_close(&json, ']');
    json_end(&json);
}
