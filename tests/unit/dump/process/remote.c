/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading the memory of a process without a profile: this one, which has the note of a runtime, and lies. */
#include "base/hash.h"
#include "dump/process/memory.h"
#include "dump/process/process.h"
#include "dump/profile/image.h"
#include "dump/profile/read.h"
#include "format.h"
#include "root.h"

#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SLOTS = 4, MODULE = 1, SITE = 2, STACK = 3, AREAS = 200 };

/* As a runtime might have them, in no order that the layout would not tell. */
struct fake_table {
    char *chunks[ROOT_CHUNKS];
    uint32_t first, element;
};

struct fake_area {
    uint64_t size, first;
    void *address;
    uint32_t index, kind;
};

struct fake_module {
    char build_id[65];
    const char *path;
    uint32_t slot;
};

struct fake_record {
    const struct fake_module *module;
    const struct allocsite_site *site;
    uint64_t address;
    uint32_t parent, what;
};

struct fake_slot {
    uint32_t stack, parent;
};

struct fake_options {
    bool sizes, pairs, lifetime, enabled;
};

static struct fake_area areas[AREAS];
static struct fake_table area_table = {.first = AREAS, .element = sizeof *areas};
static uint32_t area_count;
static struct profile_header header, *header_there = &header;

static struct fake_record records[SLOTS];
static struct fake_table record_table = {.first = SLOTS, .element = sizeof *records};

static struct fake_slot slots[SLOTS];
static struct fake_table slot_table = {.first = SLOTS, .element = sizeof *slots};
static uint32_t slot_count;

static struct fake_options options;
static uint32_t holes;
static int32_t started_pid;

static const struct root_store store = {&area_table, &area_count, &header_there};
static const struct root_registry registry = {&slot_table, &slot_count, &record_table};
static const struct root_start start = {&options, &holes, &started_pid};
static uint8_t is_stopped, wants_reset;
static uint32_t capacities[4];
static struct fake_table thread_table;
static const struct root_control control = {&is_stopped, &wants_reset, &thread_table};

struct root the_root = {.layout = {
                            .table_element = offsetof(struct fake_table, element),
                            .table_first = offsetof(struct fake_table, first),
                            .table_chunks = offsetof(struct fake_table, chunks),
                            .area_kind = offsetof(struct fake_area, kind),
                            .area_index = offsetof(struct fake_area, index),
                            .area_first = offsetof(struct fake_area, first),
                            .area_size = offsetof(struct fake_area, size),
                            .area_address = offsetof(struct fake_area, address),
                            .slot_parent = offsetof(struct fake_slot, parent),
                            .slot_stack = offsetof(struct fake_slot, stack),
                            .record_site = offsetof(struct fake_record, site),
                            .record_module = offsetof(struct fake_record, module),
                            .record_what = offsetof(struct fake_record, what),
                            .record_parent = offsetof(struct fake_record, parent),
                            .record_address = offsetof(struct fake_record, address),
                            .module_slot = offsetof(struct fake_module, slot),
                            .module_path = offsetof(struct fake_module, path),
                            .module_build_id = offsetof(struct fake_module, build_id),
                            .option_enabled = offsetof(struct fake_options, enabled),
                            .option_pairs = offsetof(struct fake_options, pairs),
                            .option_sizes = offsetof(struct fake_options, sizes),
                            .option_lifetime = offsetof(struct fake_options, lifetime),
                            .thread_capacity = 0,
                            .rare = PROFILE_RARE_COUNT,
                        }};

__asm__(".pushsection .note.fake, \"a\", @note\n"
        ".long 10, 8, 2\n"
        ".asciz \"allocsite\"\n"
        ".balign 4\n"
        "1: .quad the_root - 1b\n"
        ".popsection");

/* What references of 32 bits reach. */
static struct {
    struct allocsite_site site;
    struct allocsite_scope scope;
    struct allocsite_frame frame;
    struct allocsite_request request;
    char function[100], file[100], callee[100];
} names;

static _Alignas(PROFILE_PAGE) struct tally tallies[PROFILE_PAGE / sizeof(struct tally)];
static struct fake_module module;

static allocsite_ref distance(const void *from, const void *to) {
    return (allocsite_ref)((const char *)to - (const char *)from);
}

static void refer(allocsite_ref *from, const void *to) {
    *from = distance(from, to);
}

static void describe(void) {
    names.site = (struct allocsite_site){.hash = 77, .line = 5, .column = 6, .version = 1};
    refer(&names.site.scope, &names.scope);
    refer(&names.site.caller, &names.frame);
    refer(&names.site.request, &names.request);
    refer(&names.scope.function, strcpy(names.function, "function"));
    refer(&names.scope.file, strcpy(names.file, "file.c"));
    names.frame = (struct allocsite_frame){.line = 8, .column = 9};
    refer(&names.frame.scope, &names.scope);
    names.request = (struct allocsite_request){.type = 0};
    refer(&names.request.callee, strcpy(names.callee, "malloc"));
}

static void add_area(uint32_t kind, uint32_t index, uint64_t first, void *address, uint64_t size) {
    areas[area_count++] = (struct fake_area){size, first, address, index, kind};
}

/* A module and a site that has allocated 10 blocks of 100 bytes and freed 4. */
static int set_up(void **state) {
    (void)state;
    the_root.version = ROOT_VERSION;
    the_root.profile_version = PROFILE_VERSION;
    the_root.format_version = ALLOCSITE_FORMAT_VERSION;
    the_root.store = &store;
    the_root.registry = &registry;
    the_root.start = &start;
    the_root.control = &control;
    options = (struct fake_options){.enabled = true};
    thread_table =
        (struct fake_table){.chunks = {(char *)capacities}, .first = 4, .element = sizeof *capacities};
    started_pid = (int32_t)getpid();
    holes = 0;
    header = (struct profile_header){.version = 0};
    module = (struct fake_module){.build_id = "abcd", .path = "/bin/program", .slot = MODULE};
    memset(records, 0, sizeof records);
    records[2] = (struct fake_record){.module = &module, .what = PROFILE_MODULE};
    records[1] = (struct fake_record){.module = &module, .site = &names.site, .what = PROFILE_SITE};
    memset(slots, 0, sizeof slots);
    slots[MODULE].stack = 2;
    slots[SITE].stack = 1;
    slot_count = SLOTS;
    slot_table.chunks[0] = (char *)slots;
    record_table.chunks[0] = (char *)records;
    slot_table.first = record_table.first = SLOTS;
    memset(tallies, 0, sizeof tallies);
    tallies[SITE] = (struct tally){.gained = 10, .gained_bytes = 1000, .lost = 4, .lost_bytes = 400};
    area_count = 0;
    memset(areas, 0, sizeof areas);
    area_table.chunks[0] = (char *)areas;
    add_area(PROFILE_TALLIES, 0, 0, tallies, sizeof tallies);
    describe();
    return 0;
}

static void read_self(struct profile_file *file) {
    struct profile_image image;
    struct reason why;
    if (!remote_profile(&image, (unsigned)getpid(), &why))
        fail_msg("%s", why.text);
    if (!profile_read(file, image.bytes, image.size, &why))
        fail_msg("%s", why.text);
    profile_image_free(&image);
}

static void assert_refused(const char *expected) {
    struct profile_image image;
    struct reason why;
    assert_false(remote_profile(&image, (unsigned)getpid(), &why));
    assert_string_equal(why.text, expected);
}

static void assert_too_much(void) {
    struct profile_image image;
    struct reason why;
    assert_false(remote_profile(&image, (unsigned)getpid(), &why));
    assert_non_null(strstr(why.text, "MiB of counters, far more than it has memory; start"));
}

static const struct report_site *the_row(const struct profile_file *file) {
    assert_int_equal(file->report.site_count, 1);
    assert_int_equal(file->report.sites[0]->counters.allocs, 10);
    assert_int_equal(file->report.sites[0]->counters.live_bytes, 600);
    return file->report.sites[0];
}

static bool has_reason(const struct profile_file *file, const char *expected) {
    for (size_t i = 0; i < file->report.reason_count; i++)
        if (strcmp(file->report.reasons[i], expected) == 0)
            return true;
    return false;
}

static void assert_reason(const struct profile_file *file, const char *expected) {
    if (!has_reason(file, expected))
        fail_msg("no reason: %s", expected);
}

static void reads_what_the_layout_says(void **state) {
    (void)state;
    struct profile_file file;
    static _Alignas(PROFILE_PAGE) struct rare rares[PROFILE_PAGE / sizeof(struct rare)];
    rares[SITE].failed = 3;
    add_area(PROFILE_RARES, 0, 0, rares, sizeof rares);
    read_self(&file);
    const struct site_view *view = &the_row(&file)->view;
    assert_int_equal(file.report.reason_count, 0);
    assert_int_equal(the_row(&file)->counters.failed, 3);
    assert_int_equal(view->id, 77);
    assert_string_equal(view->module, "/bin/program");
    assert_string_equal(view->at.function, "function");
    assert_string_equal(view->at.file, "file.c");
    assert_int_equal(view->at.line * 100 + view->at.column, 506);
    assert_string_equal(view->callee, "malloc");
    assert_null(view->type);
    assert_int_equal(view->inlined_count, 1);
    assert_int_equal(view->inlined[0].line * 100 + view->inlined[0].column, 809);
    profile_read_free(&file);
}

static void names_modules_as_the_runtime_does(void **state) {
    (void)state;
    struct profile_file file;
    tallies[MODULE] = tallies[SITE];
    tallies[SITE] = (struct tally){.gained = 0};
    read_self(&file);
    assert_false(the_row(&file)->view.sited);
    assert_true(the_row(&file)->view.id == path_id("/bin/program"));
    profile_read_free(&file);
}

static void reads_stacks_as_parts(void **state) {
    (void)state;
    static _Alignas(PROFILE_PAGE) char chunk[PROFILE_NAMES_FIRST];
    struct profile_file file;
    struct profile_return to = {.module = MODULE, .address = {0x123}};
    struct profile_step step = {.to = 32};
    memcpy(chunk + 16, &step, sizeof step);
    memcpy(chunk + 32, &to, sizeof to);
    add_area(PROFILE_NAMES, 0, 0, chunk, sizeof chunk);
    slots[STACK] = (struct fake_slot){.parent = SITE, .stack = 16};
    tallies[STACK] = tallies[SITE];
    tallies[SITE] = (struct tally){.gained = 0};
    read_self(&file);
    (void)the_row(&file);
    assert_int_equal(file.report.stack_count, 1);
    assert_int_equal(file.report.stacks[0].counters.allocs, 10);
    assert_int_equal(file.report.stacks[0].frame_count, 1);
    assert_int_equal(file.report.stacks[0].frames[0].address, 0x123);
    assert_string_equal(file.report.stacks[0].frames[0].module->path, "/bin/program");
    profile_read_free(&file);
}

static void keeps_the_names_that_are_there(void **state) {
    (void)state;
    static _Alignas(PROFILE_PAGE) char chunk[PROFILE_NAMES_FIRST];
    struct profile_file file;
    strcpy(chunk + 100, "no shadow");
    header.lost_unknown = 100;
    add_area(PROFILE_NAMES, 0, 0, chunk, sizeof chunk);
    read_self(&file);
    assert_string_equal(file.report.lost_unknown, "no shadow");
    assert_string_equal(the_row(&file)->view.at.function, "function");
    profile_read_free(&file);
}

static void reads_more_areas_than_a_page_of_the_directory_has(void **state) {
    (void)state;
    char *memory =
        mmap(NULL, AREAS * PROFILE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct profile_file file;
    for (uint32_t block = 1; block < AREAS; block++) {
        struct tally *its = (struct tally *)(void *)(memory + block * PROFILE_PAGE);
        its[SITE].gained = its[SITE].lost = 1;
        add_area(PROFILE_TALLIES, block, 0, its, PROFILE_PAGE);
    }
    read_self(&file);
    assert_int_equal(file.report.reason_count, 0);
    assert_int_equal(file.report.sites[0]->counters.allocs, 10 + AREAS - 1);
    assert_int_equal(file.report.sites[0]->counters.live_blocks, 6);
    profile_read_free(&file);
    munmap(memory, AREAS * PROFILE_PAGE);
}

static void cuts_chains_that_have_no_end(void **state) {
    (void)state;
    struct profile_file file;
    refer(&names.frame.caller, &names.frame);
    read_self(&file);
    assert_in_range(the_row(&file)->view.inlined_count, 1, 1000);
    profile_read_free(&file);
}

static void cuts_texts_that_have_no_end(void **state) {
    (void)state;
    const size_t size = 2 * REMOTE_TEXT_SIZE;
    struct profile_file file;
    char *text = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(text, 'x', size);
    module.path = text;
    read_self(&file);
    assert_int_equal(strlen(the_row(&file)->view.module), REMOTE_TEXT_SIZE - 1);
    profile_read_free(&file);
    munmap(text, size);
}

static void says_which_names_are_not_there(void **state) {
    (void)state;
    struct profile_file file;
    module.path = (const char *)16;
    names.scope.function = INT32_MIN; /* far below the program, where nothing is */
    read_self(&file);
    const struct site_view *view = &the_row(&file)->view;
    assert_null(view->at.function);
    assert_string_equal(view->at.file, "file.c");
    assert_reason(&file, "names that could not be read: 2");
    profile_read_free(&file);
}

static void says_that_records_are_not_there(void **state) {
    (void)state;
    struct profile_file file;
    record_table.chunks[0] = NULL;
    read_self(&file);
    (void)the_row(&file);
    assert_reason(&file, "sites that have counters but no name in the file: 1");
    profile_read_free(&file);
    record_table.chunks[0] = (char *)records;
    record_table.first = 0;
    read_self(&file);
    assert_reason(&file, "names that could not be read: 1");
    profile_read_free(&file);
}

static void refuses_what_cannot_be(void **state) {
    (void)state;
    const char *impossible = "has overwritten what allocsite keeps in it: that cannot be so";
    areas[0].size = UINT64_C(1) << 40;
    assert_too_much();
    areas[0].size = UINT64_MAX;
    assert_too_much();
    area_count = UINT32_MAX;
    assert_refused(impossible);
    set_up(NULL);
    areas[0].address = (void *)16;
    assert_refused("has ended, or runs another program now");
    set_up(NULL);
    area_table.element = 0;
    assert_refused("has ended, or runs another program now");
    area_table.element = sizeof *areas;
}

static void tolerates_counts_that_cannot_be(void **state) {
    (void)state;
    struct profile_file file;
    area_count = 1 << 20; /* the list behind has no chunk */
    slot_count = UINT32_MAX;
    read_self(&file);
    (void)the_row(&file);
    assert_reason(&file, "names that could not be read: 1");
    profile_read_free(&file);
    areas[0].first = UINT64_MAX - 10;
    area_count = 1;
    read_self(&file);
    assert_int_equal(file.report.site_count, 0);
    profile_read_free(&file);
}

/* A part of the memory of this process that nobody has written to. */
static char *nothing_of(size_t size) {
    char *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(memory != MAP_FAILED);
    return memory;
}

static void comes_to_an_end_with_slots_that_cannot_be(void **state) {
    (void)state;
    static const uint64_t firsts[] = {-(uint64_t)64, -(uint64_t)128, INT64_MAX, PROFILE_SLOTS_MAX - 1};
    enum { SIZE = PROFILE_PAGE / 2 }; /* does not end where the numbers do */
    struct profile_file file;
    char *memory = nothing_of(PROFILE_PAGE);
    alarm(10);
    for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++) {
        set_up(NULL);
        add_area(PROFILE_TALLIES, 1, firsts[i], memory, SIZE);
        read_self(&file);
        (void)the_row(&file);
        assert_reason(&file, "the file is damaged: 1 of 5 areas cannot be so");
        profile_read_free(&file);
    }
    alarm(0);
    munmap(memory, PROFILE_PAGE);
}

static void refuses_what_is_more_than_the_process_has(void **state) {
    (void)state;
    const size_t size = (size_t)3 << 30;
    char *memory = nothing_of(size);
    for (uint32_t kind = PROFILE_NAMES; kind <= PROFILE_BASES; kind++) {
        set_up(NULL);
        add_area(kind, PROFILE_CHUNKS - 1, 0, memory, size);
        assert_too_much();
    }
    set_up(NULL);
    add_area(PROFILE_NAMES, 15, 0, memory, PROFILE_PAGE); /* the chunks before it are not there */
    assert_too_much();
    munmap(memory, size);
}

/* Each text is a part of the one that is read before. */
static void reads_no_more_names_than_the_process_has(void **state) {
    (void)state;
    enum { MODULES = 100000, TEXT = REMOTE_TEXT_SIZE - 1 };
    struct profile_file file;
    struct fake_module *modules = calloc(MODULES, sizeof *modules);
    struct fake_record *many = calloc(MODULES, sizeof *many);
    struct fake_slot *parts = calloc(MODULES, sizeof *parts);
    char *text = malloc(TEXT + MODULES);
    memset(text, 'x', TEXT + MODULES);
    for (uint32_t i = 1; i < MODULES; i++) {
        modules[i] = (struct fake_module){.path = text + i, .slot = i};
        parts[i].stack = i;
        many[i] = (struct fake_record){.module = &modules[i], .what = PROFILE_MODULE};
    }
    slot_count = slot_table.first = record_table.first = MODULES;
    slot_table.chunks[0] = (char *)parts;
    record_table.chunks[0] = (char *)many;
    alarm(10);
    read_self(&file);
    alarm(0);
    (void)the_row(&file);
    assert_true(file.report.reason_count > 0);
    profile_read_free(&file);
    free(modules);
    free(many);
    free(parts);
    free(text);
}

static void says_what_the_runtime_is_not(void **state) {
    (void)state;
    the_root.version++;
    assert_refused("runs with an allocsite of another version");
    set_up(NULL);
    the_root.store = NULL;
    assert_refused("runs without the runtime of allocsite: start it with allocsite-run");
    set_up(NULL);
    options.enabled = false;
    assert_refused("counts nothing: it was started with enabled=0");
    set_up(NULL);
    started_pid = 0;
    assert_refused("has only just begun");
}

static void sends_threads_the_slow_way(void **state) {
    struct reason why;
    (void)state;
    memset(capacities, -1, sizeof capacities);
    assert_true(control_process((unsigned)getpid(), CONTROL_STOP, &why));
    assert_true(is_stopped && !capacities[0] && !capacities[3]);
    assert_true(control_process((unsigned)getpid(), CONTROL_START, &why));
    assert_false(is_stopped);
}

static void looks_at_no_more_threads_than_there_can_be(void **state) {
    const size_t size = (size_t)1 << 33;
    struct reason why;
    (void)state;
    void *endless = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_ptr_not_equal(endless, MAP_FAILED);
    thread_table = (struct fake_table){.chunks = {endless}, .first = 1u << 31, .element = sizeof *capacities};
    assert_false(control_process((unsigned)getpid(), CONTROL_STOP, &why));
    assert_string_equal(why.text, "has more threads than it can have, or they cannot be read");
    munmap(endless, size);
}

static void says_that_a_reset_is_under_way(void **state) {
    (void)state;
    struct profile_file file;
    header.resets = 1;
    read_self(&file);
    (void)the_row(&file);
    assert_reason(&file, "the program grew or reset its counters while they were read: some may be missing");
    profile_read_free(&file);
}

static void *rise(void *stops) {
    for (int64_t bytes = 1; !__atomic_load_n((bool *)stops, __ATOMIC_RELAXED); bytes++)
        __atomic_store_n(&header.peak.bytes, bytes, __ATOMIC_RELAXED);
    return NULL;
}

/* On another processor, or it would rest whenever this one reads. */
static pthread_t begin_to_rise(bool *stops) {
    cpu_set_t others;
    pthread_t thread;
    if (sched_getaffinity(0, sizeof others, &others) != 0)
        skip();
    CPU_CLR((size_t)sched_getcpu(), &others);
    if (!CPU_COUNT(&others))
        skip();
    assert_int_equal(pthread_create(&thread, NULL, rise, stops), 0);
    pthread_setaffinity_np(thread, sizeof others, &others);
    return thread;
}

/* It may rest all the same, as may this one. */
static void says_that_the_peak_rose(void **state) {
    (void)state;
    bool stops = false, is_said = false;
    pthread_t thread = begin_to_rise(&stops);
    for (int i = 0; i < 10000 && !is_said; i++) {
        struct profile_file file;
        read_self(&file);
        (void)the_row(&file);
        is_said = has_reason(&file, "the peak rose while it was read: the sites' shares in it are of "
                                    "different moments");
        profile_read_free(&file);
    }
    __atomic_store_n(&stops, true, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    assert_true(is_said);
}

static void knows_the_least_that_was_inherited(void **state) {
    (void)state;
    struct profile_file file;
    started_pid++;
    tallies[SITE] = (struct tally){.gained = 2, .gained_bytes = 20, .lost = 7, .lost_bytes = 700};
    read_self(&file);
    assert_int_equal(file.report.site_count, 1);
    const struct counters *counters = &file.report.sites[0]->counters;
    assert_int_equal(counters->inherited_blocks, 5);
    assert_int_equal(counters->inherited_bytes, 680);
    assert_int_equal(counters->live_blocks, 0);
    assert_int_equal(file.report.reason_count, 1);
    profile_read_free(&file);
}

/* Of whatever bytes the runtime's structures are made, there is a report or a reason. */
static void survives_everything(void **state) {
    const struct {
        void *at;
        size_t size;
    } parts[] = {{&the_root, sizeof the_root},
                 {&area_table, sizeof area_table},
                 {areas, 2 * sizeof *areas},
                 {&record_table, sizeof record_table},
                 {records, sizeof records},
                 {&slot_table, sizeof slot_table},
                 {slots, sizeof slots},
                 {&names, sizeof names},
                 {&module, sizeof module},
                 {&header, sizeof header},
                 {tallies, SLOTS * sizeof *tallies},
                 {&area_count, sizeof area_count},
                 {&slot_count, sizeof slot_count}};
    const struct root root = the_root;
    const struct fake_table area_table_was = area_table, record_table_was = record_table,
                            slot_table_was = slot_table;
    unsigned reports = 0, rounds = 500;
    srand(1);
    for (unsigned round = 0; round < rounds; round++) {
        struct profile_image image;
        struct profile_file file;
        struct reason why;
        for (int changes = 1 + rand() % 3; changes--;) {
            size_t part = (size_t)rand() % (sizeof parts / sizeof *parts);
            ((unsigned char *)parts[part].at)[(size_t)rand() % parts[part].size] ^=
                (unsigned char)(1 << rand() % 8);
        }
        if (remote_profile(&image, (unsigned)getpid(), &why)) {
            if (profile_read(&file, image.bytes, image.size, &why))
                profile_read_free(&file), reports++;
            profile_image_free(&image);
        }
        the_root = root;
        area_table = area_table_was;
        record_table = record_table_was;
        slot_table = slot_table_was;
        set_up(state);
    }
    assert_in_range(reports, rounds / 2, rounds - 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(reads_what_the_layout_says, set_up),
        cmocka_unit_test_setup(names_modules_as_the_runtime_does, set_up),
        cmocka_unit_test_setup(reads_stacks_as_parts, set_up),
        cmocka_unit_test_setup(keeps_the_names_that_are_there, set_up),
        cmocka_unit_test_setup(reads_more_areas_than_a_page_of_the_directory_has, set_up),
        cmocka_unit_test_setup(cuts_chains_that_have_no_end, set_up),
        cmocka_unit_test_setup(cuts_texts_that_have_no_end, set_up),
        cmocka_unit_test_setup(says_which_names_are_not_there, set_up),
        cmocka_unit_test_setup(says_that_records_are_not_there, set_up),
        cmocka_unit_test_setup(refuses_what_cannot_be, set_up),
        cmocka_unit_test_setup(tolerates_counts_that_cannot_be, set_up),
        cmocka_unit_test_setup(comes_to_an_end_with_slots_that_cannot_be, set_up),
        cmocka_unit_test_setup(refuses_what_is_more_than_the_process_has, set_up),
        cmocka_unit_test_setup(reads_no_more_names_than_the_process_has, set_up),
        cmocka_unit_test_setup(says_what_the_runtime_is_not, set_up),
        cmocka_unit_test_setup(sends_threads_the_slow_way, set_up),
        cmocka_unit_test_setup(looks_at_no_more_threads_than_there_can_be, set_up),
        cmocka_unit_test_setup(says_that_a_reset_is_under_way, set_up),
        cmocka_unit_test_setup(says_that_the_peak_rose, set_up),
        cmocka_unit_test_setup(knows_the_least_that_was_inherited, set_up),
        cmocka_unit_test_setup(survives_everything, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
