/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Samples of a process at random moments: the recording shows the same, thinned out or not. */
#include "dump/base/files.h"
#include "dump/record/moment.h"
#include "dump/record/recording.h"
#include "dump/view/view.h"

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SITES = 40, MOMENTS = 600 };

#define SECOND UINT64_C(1000000000)

static const char path[] = "take.recording";
static uint64_t state = 1;

static uint64_t random_below(uint64_t limit) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % limit;
}

/* A process whose sites appear one after the other, with copies of its counters. */
struct model {
    struct report_site sites[SITES], *list[SITES];
    char functions[SITES][16];
    struct counters kept[MOMENTS][SITES];
    uint64_t times[MOMENTS], resident[MOMENTS];
};

static struct model model;

static void set_up(void) {
    for (size_t i = 0; i < SITES; i++) {
        snprintf(model.functions[i], sizeof model.functions[i], "function%zu", i);
        model.sites[i] = (struct report_site){.view = {.id = i / 2,
                                                       .module = "/bin/true",
                                                       .sited = true,
                                                       .at = {model.functions[i], "a.c", (uint32_t)i, 7},
                                                       .callee = "malloc",
                                                       .inlined = &model.sites[0].view.at,
                                                       .inlined_count = i % 3 == 0}};
    }
}

static void count_in(struct counters *counters) {
    uint64_t size = random_below(1000000);
    counters->allocs++;
    counters->alloc_bytes += size;
    counters->live_blocks++;
    counters->live_bytes += size;
    counters->peak_bytes = random_below(UINT64_MAX);
    counters->max_live_blocks_within = random_below(3);
}

static void reset(void) {
    for (size_t i = 0; i < SITES; i++)
        model.sites[i].counters = (struct counters){.allocs = 0};
}

static struct report report_of(size_t moment) {
    static const char *const reasons[] = {"one", "two"};
    static const struct report_module modules[] = {{"/bin/true", "01"}, {"/lib/a.so", NULL}};
    for (size_t i = 0; i < SITES; i++)
        model.list[i] = &model.sites[i];
    return (struct report){.program = "/bin/true",
                           .pid = 17,
                           .sites = model.list,
                           .site_count = SITES,
                           .running = true,
                           .reasons = reasons,
                           .reason_count = moment / 100 % 3,
                           .modules = modules,
                           .modules_size = 1 + moment / 300,
                           .peak_within = moment % 5};
}

/* The last of two samples equals the one before: a process that sleeps. */
static void take(struct taking *taking, size_t moment) {
    struct report_limits everything = {.top = 0};
    struct reason why;
    for (uint64_t i = moment % 2 ? 0 : random_below(30); i > 0; i--)
        count_in(&model.sites[random_below(1 + moment * SITES / MOMENTS)].counters);
    if (moment == MOMENTS / 2)
        reset();
    model.times[moment] = (moment ? model.times[moment - 1] : SECOND) + random_below(2 * SECOND);
    model.resident[moment] = random_below(1 << 30);
    for (size_t i = 0; i < SITES; i++)
        model.kept[moment][i] = model.sites[i].counters;
    struct report report = report_of(moment);
    report_prepare(&report, &everything);
    assert_true(taking_add(taking, &report, model.times[moment], model.resident[moment], &why));
}

static struct moment load(const char *at) {
    struct moment moment;
    struct reason why;
    char *bytes;
    size_t size;
    assert_true(whole_input(path, &bytes, &size, &why));
    assert_true(moment_load(&moment, bytes, size, at, &why));
    return moment;
}

static size_t taken_at(uint64_t time) {
    size_t moment = 0;
    while (model.times[moment] != time)
        assert_true(++moment < MOMENTS);
    return moment;
}

static void check_site(const struct report_site *row, size_t moment) {
    size_t number = row->view.at.line;
    assert_string_equal(row->view.at.function, model.functions[number]);
    assert_int_equal(row->view.inlined_count, number % 3 == 0);
    assert_memory_equal(&row->counters, &model.kept[moment][number], sizeof row->counters);
}

static void check(const struct moment *loaded, size_t moment) {
    struct report report = report_of(moment);
    struct counters sum = {.allocs = 0}, expected = sum;
    assert_int_equal(loaded->report.sampled.resident, model.resident[moment]);
    assert_int_equal(loaded->report.peak_within, moment % 5);
    assert_int_equal(loaded->report.reason_count, report.reason_count + loaded->report.damaged);
    assert_int_equal(loaded->report.modules_size, report.modules_size);
    for (size_t i = 0; i < loaded->report.site_count; i++) {
        check_site(loaded->report.sites[i], moment);
        counters_add(&sum, &loaded->report.sites[i]->counters);
    }
    for (size_t i = 0; i < SITES; i++)
        counters_add(&expected, &model.kept[moment][i]);
    assert_memory_equal(&sum, &expected, sizeof sum);
}

/* Compares each kept sample, by its time since the first, and returns their number. */
static size_t check_moments(void) {
    struct moment last = load(NULL);
    size_t count = last.time_count;
    check(&last, MOMENTS - 1);
    for (size_t i = 0; i < count; i++) {
        char at[32];
        uint64_t since = last.times[i] - last.times[0];
        snprintf(at, sizeof at, "%" PRIu64 ".%09" PRIu64 "s", since / SECOND, since % SECOND);
        struct moment moment = load(at);
        check(&moment, taken_at(moment.times[moment.number]));
        assert_true(moment.times[moment.number] / 1000000 == last.times[i] / 1000000);
        moment_free(&moment);
    }
    moment_free(&last);
    return count;
}

static uint64_t record(uint64_t limit, uint64_t *thinned) {
    struct taking taking = {.path = path, .limit = limit, .interval = SECOND};
    struct stat status;
    memset(&model, 0, sizeof model);
    set_up();
    for (size_t i = 0; i < MOMENTS; i++)
        take(&taking, i);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, taking.writer.size);
    *thinned = taking.thinned;
    taking_end(&taking);
    return (uint64_t)status.st_size;
}

static void moments_are_as_taken(void **unused) {
    uint64_t thinned;
    (void)unused;
    record(UINT64_MAX, &thinned);
    assert_int_equal(check_moments(), MOMENTS);
    assert_int_equal(thinned, 0);
}

/* All samples of the newest quarter are kept, and few of the oldest. */
static void thinned_samples_are_unchanged(void **unused) {
    uint64_t limit = 1 << 15, thinned;
    (void)unused;
    assert_true(record(limit, &thinned) < limit);
    assert_true(thinned > MOMENTS / 4);
    assert_int_equal(check_moments(), MOMENTS - thinned);
    struct moment last = load(NULL);
    assert_int_equal(last.report.sampled.thinned, thinned);
    assert_int_equal(last.times[0], model.times[0]);
    size_t early = 0, late = 0;
    for (size_t i = 0; i < last.time_count; i++) {
        early += last.times[i] < model.times[MOMENTS / 4];
        late += last.times[i] >= model.times[MOMENTS - MOMENTS / 10];
    }
    assert_true(early < MOMENTS / 8);
    assert_true(late > MOMENTS / 12);
    moment_free(&last);
}

static void a_limit_too_small_is_reported(void **unused) {
    struct taking taking = {.path = path, .limit = 200, .interval = SECOND};
    struct report_limits everything = {.top = 0};
    struct report report;
    struct reason why;
    (void)unused;
    set_up();
    for (size_t i = 0; i < SITES; i++)
        count_in(&model.sites[i].counters);
    report = report_of(0);
    report_prepare(&report, &everything);
    assert_false(taking_add(&taking, &report, SECOND, 0, &why));
    assert_non_null(strstr(why.text, "--max-size"));
    taking_end(&taking);
}

/* After the recorder was killed, all complete samples are read. */
static void truncated_recordings_are_read_to_the_cut(void **unused) {
    uint64_t thinned, size = record(UINT64_MAX, &thinned);
    struct reason why;
    char *bytes;
    size_t whole, before = 0;
    (void)unused;
    assert_true(whole_input(path, &bytes, &whole, &why));
    assert_int_equal(whole, size);
    for (size_t cut = 0; cut <= whole; cut += 1 + cut / 50) {
        struct moment moment;
        char *part = malloc(cut + 1);
        memcpy(part, bytes, cut);
        bool is_read = moment_load(&moment, part, cut, NULL, &why);
        assert_true(is_read || !before);
        if (!is_read) {
            free(part);
            continue;
        }
        assert_true(moment.time_count >= before);
        before = moment.time_count;
        check(&moment, before - 1);
        assert_false(moment.report.damaged);
        moment_free(&moment);
    }
    assert_true(before > MOMENTS / 2);
    free(bytes);
}

static void alterations_are_reported(void **unused) {
    uint64_t thinned, size = record(UINT64_MAX, &thinned);
    struct reason why;
    struct moment moment;
    char *bytes;
    size_t whole;
    (void)unused;
    assert_true(whole_input(path, &bytes, &whole, &why));
    bytes[size / 2] ^= 1;
    assert_true(moment_load(&moment, bytes, whole, NULL, &why));
    assert_true(moment.report.damaged);
    check(&moment, moment.time_count - 1);
    moment_free(&moment);
}

static void times_are_read(void **unused) {
    uint64_t time, first = 1000 * SECOND, last = 5000 * SECOND;
    (void)unused;
    static const struct {
        const char *text;
        uint64_t seconds;
    } right[] = {{"0", 1000},
                 {"90", 1090},
                 {"90s", 1090},
                 {"1.5m", 1090},
                 {"1h", 4600},
                 {"1d", 87400},
                 {"-0", 5000},
                 {"-90s", 4910},
                 {"-1d", 0},
                 {"1970-01-02T00:00:01", 86401},
                 {"1970-01-02T00:00:01Z", 86401}};
    static const char *const wrong[] = {
        "", "s", "-", "1x", "1 s", "1e3", "nan", "0x10", "1970-01-02", "99999999999999d", "1.2.3"};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        assert_true(moment_time(right[i].text, first, last, &time));
        assert_int_equal(time, right[i].seconds * SECOND);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(moment_time(wrong[i], first, last, &time));
}

/* ---- Growth: live bytes of a site by second. */

enum { SECONDS = 1000 };

static uint64_t leaks_slowly(uint64_t second) {
    return second / 60 * 64 + second % 7 * 50000;
}
static uint64_t fills_and_stays(uint64_t second) {
    return second < 200 ? second * 1000 : 200000;
}
static uint64_t fills_late(uint64_t second) {
    return second < 600 ? second * 1000 : 600000;
}
static uint64_t goes_up_and_down(uint64_t second) {
    return second % 100 * 1000;
}
static uint64_t shrinks_once(uint64_t second) {
    return second < 700 ? second * 100 : second * 100 - 40000;
}
static uint64_t grows(uint64_t second) {
    return second * 10;
}
static uint64_t grows_from_half(uint64_t second) {
    return second < 400 ? 0 : (second - 400) * 1000;
}

static uint64_t (*const shapes[])(uint64_t) = {
    leaks_slowly, fills_and_stays, fills_late, goes_up_and_down, shrinks_once, grows, grows_from_half};

enum { SHAPES = sizeof shapes / sizeof *shapes };

static void record_shapes(uint64_t seconds) {
    struct taking taking = {.path = path, .limit = UINT64_MAX, .interval = SECOND};
    struct report_limits everything = {.top = 0};
    struct reason why;
    memset(&model, 0, sizeof model);
    set_up();
    for (uint64_t second = 0; second < seconds; second++) {
        for (size_t i = 0; i < SHAPES; i++) {
            struct counters *counters = &model.sites[i].counters;
            counters->live_bytes = shapes[i](second);
            counters->alloc_bytes = 1 << 30;
            counters->freed_bytes = (1 << 30) - counters->live_bytes;
            counters->allocs = 1;
        }
        struct report report = report_of(0);
        report_prepare(&report, &everything);
        assert_true(taking_add(&taking, &report, (1 + second) * SECOND, 0, &why));
    }
    taking_end(&taking);
}

static size_t growing(struct history *history, const char **functions) {
    struct report_limits everything = {.top = 0};
    struct moment moment = load(NULL);
    report_prepare(&moment.report, &everything);
    history_make(history, &moment, &everything, true);
    for (size_t i = 0; i < history->count; i++)
        functions[i] = model.functions[history->rows[i].site->view.at.line];
    size_t count = history->count;
    if (count == 3)
        assert_true(history->rows[1].per_hour > 35999 && history->rows[1].per_hour < 36001);
    history_free(history);
    moment_free(&moment);
    return count;
}

static void growing_sites_are_named(void **unused) {
    struct history history;
    const char *functions[SHAPES];
    (void)unused;
    record_shapes(SECONDS);
    /* The fastest is first. The slow leak is found among temporary blocks. */
    assert_int_equal(growing(&history, functions), 3);
    assert_string_equal(functions[0], "function6");
    assert_string_equal(functions[1], "function5");
    assert_string_equal(functions[2], "function0");
    record_shapes(HISTORY_PARTS - 1);
    assert_int_equal(growing(&history, functions), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_are_as_taken),
        cmocka_unit_test(thinned_samples_are_unchanged),
        cmocka_unit_test(a_limit_too_small_is_reported),
        cmocka_unit_test(truncated_recordings_are_read_to_the_cut),
        cmocka_unit_test(alterations_are_reported),
        cmocka_unit_test(times_are_read),
        cmocka_unit_test(growing_sites_are_named),
    };
    char folder[] = "/tmp/allocsite-take.XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return rmdir(folder) != 0 || failed;
}
