/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include "lib/base/state.h"

#include "lib/allocsite.h"
#include "lib/base/os.h"
#include "lib/base/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool runtime_off;
bool runtime_owners = true;
bool runtime_pairs = true; /* until the options are read */
bool runtime_temporary;

int32_t runtime_process;
uint32_t runtime_attached;
uint32_t runtime_state;

bool runtime_was_forked(void) {
    return os_process() != runtime_process;
}

static uint32_t gaps_set;
uint64_t *(*gaps_mirror)(void);

void gap_set(enum gap gap) {
    __atomic_fetch_or(&gaps_set, 1u << gap, __ATOMIC_RELAXED);
    uint64_t *mirror = gaps_mirror ? gaps_mirror() : NULL;
    if (mirror)
        __atomic_fetch_or(mirror, gaps_all(), __ATOMIC_RELAXED);
}

void gap_unset(enum gap gap) {
    __atomic_fetch_and(&gaps_set, ~(1u << gap), __ATOMIC_RELAXED);
    uint64_t *mirror = gaps_mirror ? gaps_mirror() : NULL;
    if (mirror)
        __atomic_fetch_and(mirror, ~(UINT64_C(1) << gap), __ATOMIC_RELAXED);
}

uint32_t gaps_all(void) {
    return __atomic_load_n(&gaps_set, __ATOMIC_RELAXED);
}

bool gap_is_set(enum gap gap) {
    return gaps_all() >> gap & 1;
}

bool gaps_hide_blocks(void) {
    static const enum gap gaps[] = {GAP_MEMORY,    GAP_OWNERS,    GAP_INTERPOSITION,  GAP_PAST,
                                    GAP_UNWRAPPED, GAP_LIBRARIES, GAP_SECOND_RUNTIME, GAP_ELSEWHERE};
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++)
        if (gap_is_set(gaps[i]))
            return true;
    return false;
}

static struct run_options options;

const struct run_options *runtime_options(void) {
    return &options;
}

bool runtime_is_asleep(void) {
    return !runtime_off && !__atomic_load_n(&options.enabled, __ATOMIC_RELAXED);
}

void runtime_wake(void) {
    __atomic_store_n(&options.enabled, true, __ATOMIC_RELAXED);
}

void options_report(const char *outcome, const char *what, const char *pair, size_t length) {
    char quoted[200];
    size_t kept = length < sizeof quoted - 3 ? length : sizeof quoted - 3;
    memcpy(quoted, pair, kept);
    strcpy(quoted + kept, ": ");
    os_say(outcome, quoted, what);
}

static void option_complain(const char *what, const char *pair, size_t length) {
    options_report("option ignored: ", what, pair, length);
}

#pragma weak __allocsite_default_options

/* Defined in programs that have code with contexts; the default for the option `contexts`. */
extern const uint32_t ALLOCSITE_ENTRY(contexts) __attribute__((weak));

static void choose_contexts(void) {
    if (options.contexts == OPTIONS_CONTEXTS_COMPILED)
        options.contexts = options.owners && &ALLOCSITE_ENTRY(contexts) ? ALLOCSITE_ENTRY(contexts) : 0;
}

static const char *options_texts[OPTIONS_SOURCES];

const char *options_given(enum options_source source) {
    return options_texts[source];
}

/* Copies the string, because the program may change its environment later. */
static const char *text_keep(const char *text) {
    size_t size = text ? strlen(text) + 1 : 0;
    char *kept = size ? arena_take(size) : NULL;
    return kept ? memcpy(kept, text, size) : NULL;
}

static const char *options_text;

void options_give(const char *text) {
    options_text = text;
}

void options_read(void) {
    options_texts[OPTIONS_OF_PROGRAM] =
        __allocsite_default_options && !options_text ? text_keep(__allocsite_default_options()) : NULL;
    options_texts[OPTIONS_OF_ENVIRONMENT] =
        text_keep(options_text ? options_text : secure_getenv("ALLOCSITE_OPTIONS"));
    options_default(&options);
    for (enum options_source source = 0; source < OPTIONS_SOURCES; source++)
        if (options_texts[source])
            options_parse(&options, options_texts[source], option_complain);
    choose_contexts();
    if (!options.owners && options_need_owners(&options)) {
        os_say("option ignored: ", "owners=0: ", "other options need the owners of blocks");
        options.owners = true;
    }
}

/* Duplicates of the descriptors 1 and 2, made when the program closed them with fclose; 0: none. */
static int standard_kept[3];

void descriptor_keep(int fd) {
    runtime_start();
    const char *name = fd == STDERR_FILENO ? "stderr" : "stdout";
    if (runtime_off || (fd != STDOUT_FILENO && fd != STDERR_FILENO) || standard_kept[fd] ||
        strcmp(runtime_options()->report, name) != 0)
        return;
    int error = errno;
    int copy = os_keep(fd);
    standard_kept[fd] = copy > 0 ? copy : 0;
    errno = error;
}

/* The program's own descriptor may have been closed and reused for another file. */
int descriptor_standard(int fd) {
    return standard_kept[fd] ? standard_kept[fd] : fd;
}
