/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The results of a sweep for people, programs, editors and CI. */
#include "base/path.h"
#include "dump/base/memory.h"
#include "dump/findings/annotations.h"
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
static char *sweep_sentence(const struct sweep_point *point) {
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

/* The source location; NULL: unknown. */
static const struct place *place_of(const struct sweep_point *point, struct place *place) {
    *place = (struct place){.file = point->file, .line = (uint32_t)point->line};
    return point->file && point->line ? place : NULL;
}

void sweep_github(struct out *out, const struct sweep *sweep) {
    char directory[PATH_MAX], *root = getcwd(directory, sizeof directory);
    struct place place;
    for (size_t i = 0; i < sweep->count; i++) {
        const struct sweep_point *point = &sweep->points[i];
        const struct sweep_verdict_text *verdict = &sweep_verdicts[point->verdict];
        if (!is_finding(point))
            continue;
        char *text = sweep_sentence(point);
        github_command(out, verdict->level, place_of(point, &place), root, verdict->name, text);
        free(text);
    }
}

/* ---- SARIF 2.1.0. */

static void put_stack(struct json *json, const char *title, const struct sweep_texts *texts) {
    if (!texts->count)
        return;
    json_open(json, NULL, '{');
    sarif_message(json, "message", title);
    json_open(json, "frames", '[');
    for (size_t i = 0; i < texts->count; i++) {
        json_open(json, NULL, '{');
        json_open(json, "location", '{');
        sarif_message(json, "message", texts->list[i]);
        json_close(json, '}');
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

static void put_result(struct json *json, const struct sweep_point *point, const char *root) {
    const struct sweep_verdict_text *verdict = &sweep_verdicts[point->verdict];
    struct place place;
    char *text = sweep_sentence(point);
    sarif_begin_result(json, verdict->name, verdict->level, text);
    json_open(json, "locations", '[');
    sarif_location(json, place_of(point, &place), point->function, root, NULL);
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

void sweep_sarif(struct out *out, const struct sweep *sweep) {
    struct json json = sarif_begin(out);
    char directory[PATH_MAX], *root = getcwd(directory, sizeof directory);
    for (int i = SWEEP_DIFFERS; i < SWEEP_VERDICT_COUNT; i++)
        sarif_rule(&json, sweep_verdicts[i].name, sweep_verdicts[i].meaning, sweep_verdicts[i].level);
    sarif_end_rules(&json);
    sarif_begin_results(&json);
    for (size_t i = 0; i < sweep->count; i++)
        if (is_finding(&sweep->points[i]))
            put_result(&json, &sweep->points[i], root);
    sarif_end(&json);
}
