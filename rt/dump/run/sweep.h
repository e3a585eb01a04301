/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-run --fail-each: runs a command once for each point at which it allocates, and makes the first
 * allocation at that point fail (option fail of the runtime).
 *
 * A *point* is a call path, or with --per=site a site. A plain run gives the list of points, with its exit
 * status, its output, and the points whose blocks it leaks. Then the command runs once for each point, with
 * fail=ID. The ids are hashes of addresses relative to their modules (path_id_more), which runtime and reader
 * compute alike, so they are the same in every run although modules move.
 *
 * Each run has a worker process (sweep_run.c), which starts the command, waits for it, examines its profiles
 * (sweep_profile.c) and writes what it found as one line (sweep_point.c). So runs can be simultaneous, an
 * interrupt loses only the current ones, and no run can change the state of the next. The lines are also the
 * format of results: the JSON document has one in each line, and is what --resume and --baseline read. */
#ifndef ALLOCSITE_DUMP_RUN_SWEEP_H
#define ALLOCSITE_DUMP_RUN_SWEEP_H

#include "base/out.h"
#include "dump/run/launch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(verdict, name, level of SARIF, meaning), in ascending order of severity. */
#define SWEEP_VERDICTS(X)                                                                                    \
    X(SWEEP_PENDING, "pending", "none", "The point was not tried yet.")                                      \
    X(SWEEP_UNREACHED, "unreached", "none", "The run did not come to this allocation.")                      \
    X(SWEEP_SAME, "same", "none", "Exit status and output are those of a run without the failure.")          \
    X(SWEEP_CLEAN, "clean", "none", "The program ends with another exit status.")                            \
    X(SWEEP_DIFFERS, "differs", "note",                                                                      \
      "The exit status is that of a run without the failure, or 0, but the output differs.")                 \
    X(SWEEP_LEAK, "leak", "warning", "Blocks are leaked that a run without the failure does not leak.")      \
    X(SWEEP_HANG, "hang", "error", "The program does not end.")                                              \
    X(SWEEP_CRASH, "crash", "error", "A signal ends the program.")                                           \
    X(SWEEP_FAULT, "fault", "error", "The program frees a block twice, or memory that is no block.")

enum sweep_verdict {
#define SWEEP_VERDICT(verdict, ...) verdict,
    SWEEP_VERDICTS(SWEEP_VERDICT)
#undef SWEEP_VERDICT
        SWEEP_VERDICT_COUNT
};

extern const struct sweep_verdict_text {
    const char *name, *level, *meaning;
} sweep_verdicts[SWEEP_VERDICT_COUNT];

/* Lines of text. All zero: none. */
struct sweep_texts {
    char **list;
    size_t count, capacity;
};

void sweep_texts_add(struct sweep_texts *, char *text); /* takes the text */

/* A point, and the result of its run. All strings are owned; NULL: unknown. Also describes the plain run,
 * which has no point. */
struct sweep_point {
    uint64_t id;
    char *function, *file, *callee; /* of the line of the allocation */
    uint64_t line, calls;           /* calls of the allocator in the plain run */
    uint64_t failed, leaked;        /* failed calls, leaked blocks in the plain run */
    struct sweep_texts stack;       /* the call path, innermost first: "FUNCTION at FILE:LINE" */

    uint64_t verdict;           /* enum sweep_verdict */
    uint64_t status;            /* exit status; 128 and more: a signal, as in a shell */
    uint64_t signal;            /* that ended a process of the command; 0: none */
    char *message;              /* the last line on standard error */
    struct sweep_texts at;      /* stack of the signal that ended the program */
    struct sweep_texts details; /* faults and leaks */
    uint64_t known;             /* 1: the baseline has it */
    uint64_t output;            /* hash of standard output */
    uint64_t milliseconds;
};

struct sweep {
    struct launch launch; /* for each worker to copy */
    char **command;
    bool per_site, counts_leaks, forks;
    uint64_t jobs, timeout; /* nanoseconds; 0: none */
    int input;              /* file with the standard input of all runs */
    bool output_varies;     /* two plain runs had different output */
    bool is_interrupted;
    struct sweep_point plain, *points;
    size_t count, capacity;
};

/* ---- Lines (sweep_point.c). */

/* Writes the members of a JSON object. */
void sweep_point_write(struct json *, const struct sweep_point *);

/* Reads a line that begins with an object that has an id. False: it does not. */
bool sweep_point_read(struct sweep_point *, const char *line);
void sweep_point_free(struct sweep_point *);

/* Identifies a result in other builds: the functions of the path, without lines, and the verdict. */
uint64_t sweep_point_fingerprint(const struct sweep_point *);

/* ---- One run (sweep_run.c). */

/* The body of a worker process: runs the command and writes the outcome to the file `to`. point: NULL for the
 * plain run, which also writes a line for each point. Returns an exit status. */
int sweep_run(const struct sweep *, const struct sweep_point *point, const char *to);

/* With --fork: the body of a worker process that runs the command once, which forks at each point
 * (lib/hook/fail_fork.h). Writes a result for each child. */
int sweep_run_forked(const struct sweep *, const char *to);

void sweep_set_input(int input);

/* The hash of a command's output, and the last line of it that is not the runtime's (NULL: none; the caller
 * frees it). Sets both to zero if there is no such file. */
void sweep_read_output(const char *path, uint64_t *hash, char **last);

/* Writes a point for each line. False after an error message. */
bool sweep_write_lines(const struct sweep_point *, size_t count, const char *to);

/* ---- Profiles of a run (sweep_profile.c). */

/* Adds the points of a plain run's profiles. False after an error message. */
bool sweep_points_find(struct sweep *, const char *directory);

/* Sets the verdict of a point, and the members that explain it, from the profiles of the run in which the
 * point should fail. The status, message and output of this run are set already. */
void sweep_judge(const struct sweep *, struct sweep_point *, const char *directory, bool is_hanging);

/* Sets *result to the result of a forked child with this profile, whose output is in the folder. False: this
 * is no such child, or it did not end by itself because of an interrupt. */
bool sweep_judge_child(const struct sweep *, struct sweep_point *result, const char *profile,
                       const char *folder, bool is_interrupted);

/* Returns the point with this id; NULL: none. The points must be sorted by id. */
struct sweep_point *sweep_find(const struct sweep *, uint64_t id);

/* ---- Results (sweep_write.c). The points are sorted, worst first. */

typedef void sweep_function(struct out *, const struct sweep *);
sweep_function sweep_text, sweep_json, sweep_sarif, sweep_github;

/* ---- The command (sweep.c). */

/* True if the arguments have the option --fail-each before the command. */
bool sweep_is_wanted(char **arguments);

/* Returns an exit status. */
int sweep_command(int count, char **arguments);

#endif
