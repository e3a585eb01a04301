/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The profile: the counters of a process in a file, as the runtime writes and allocsite-dump reads it. The
 * only copy of the format; allocsite-profile(5) says it in prose.
 *
 * The runtime maps the file MAP_SHARED and counts in it, so the file is always what was counted so far,
 * however the process ends. Nothing in it depends on the program's files: names are copied in.
 *
 *   offset 0       struct profile_header
 *   offset 4096    struct profile_directory: where the areas are
 *   behind         areas, each a multiple of PROFILE_PAGE, in any order
 *
 * Numbers are in the byte order of the machine that wrote the file. Counters are 64 bits wide, aligned, and
 * written by one instruction, so that a reader never sees half of one.
 *
 * A *slot* is the index of a site, of a module or a place in it that calls the allocator (which stands for
 * unsited allocations), or of a part of one of these; parts are not counted in what they are part of. A
 * *block* is one thread's array of tallies; one that ended hands it on to the next, so there are as many as
 * threads lived at once, for each phase. The counters of a slot are sums over all blocks.
 *
 * Arrays that grow (names, records, slots ...) come in chunks (base/arrays.h): chunk k holds first << k
 * elements, from element first * (2^k - 1) on, and is an area of its own with index k. */
#ifndef ALLOCSITE_PROFILE_H
#define ALLOCSITE_PROFILE_H

#ifndef __x86_64__
#error "runtime and reader know x86-64 alone: instructions, registers, relocations, unwind tables"
#endif

#include <stddef.h>
#include <stdint.h>

#define PROFILE_MAGIC                                                                                        \
    "\x89"                                                                                                   \
    "ALSITE\n"
#define PROFILE_MAGIC_SIZE 8
#define PROFILE_BYTE_ORDER 0x01020304u

/* The rule for the versions of all formats: the site table (format.h), the profile, the recording, the
 * snapshot and the JSON of reports.
 *
 * Each format has its own version. After the first release, a change that a reader of the released version
 * would misread raises it. Members of JSON and counters at the end of PROFILE_RARE may be added without. From
 * then on readers of files read every released version, and a stored file of each guards that
 * (tests/README.md). Versions that were never released are not read.
 *
 * The site table is not read across versions: allocsite-dump refuses another one, and the runtime counts such
 * sites for their module and says so in its report. */
#define PROFILE_VERSION 1

#define PROFILE_PAGE    4096

/* Offset in the names, which are an array of bytes that grows; 0: nothing. Strings there are NUL-terminated,
 * no string and no frame lies in two chunks. */
typedef uint32_t profile_name;

enum profile_flag {
    PROFILE_HAS_PAIRS = 1, /* who frees and reallocates whose blocks was counted */
    PROFILE_HAS_SIZES = 2, /* and the sizes that were asked for */
    PROFILE_HAS_LOST = 4,  /* lost blocks are told from reachable ones */
    PROFILE_IS_FORKED = 8, /* the process is a forked child; its counters start at the fork */
    /* Made of several; the peak is that of the process that had the highest one. */
    PROFILE_IS_MERGED = 16,
    PROFILE_IS_COPY = 32, /* of a moment; the process went on */
    /* A forked child that has not written down what it inherits: that is at least what a slot lost beyond
     * what it gained. */
    PROFILE_INHERITS = 64,
    PROFILE_HAS_LIFETIMES = 128, /* how long blocks lived was counted */
    PROFILE_IS_ASLEEP = 256,     /* it was started with enabled=0 and may start to count */
};

/* The highest that the bytes of all live blocks came to. */
struct profile_peak {
    int64_t bytes;
    int64_t epoch;        /* that began with it, a multiple of PROFILE_EPOCH_STEP; 0: nothing was ever live */
    uint64_t within;      /* the true peak is not above it by more than this */
    int64_t shared_epoch; /* in which the process got its second thread; 0: it has one */
    int64_t reset_epoch;  /* that began with the last reset; 0: there was none */
    uint32_t riser;       /* not 0: live bytes are above the peak and rising; what is live is the peak */
    uint32_t unused;
};

/* How the calling frames of distinct stacks were found, with stack=N, and what of that was not kept. */
struct profile_walks {
    uint64_t depth;            /* N; 0: stacks were not asked for */
    uint64_t by_frame_pointer; /* steps from a frame to its caller */
    uint64_t by_table;         /* steps by unwind tables */
    uint64_t ended_early;      /* stacks that stop before their end, not for N */
    uint64_t
        without_stack; /* events that only their slot itself has, since there was no room for the stack */
    uint64_t without_caller; /* of reports; in a profile the modules' own slots have unsited events whose
                                callers there was no room for */
};

struct profile_header {
    char magic[PROFILE_MAGIC_SIZE];
    uint32_t version;
    uint32_t byte_order;
    uint64_t pid;        /* as the process saw it; 0: several processes */
    uint64_t start_time; /* of the process, in clock ticks since the machine was started: names it with pid */
    uint64_t begun;      /* when counting began, in nanoseconds since 1970-01-01 UTC */
    uint64_t ended;      /* when the process ended by itself; 0: it has not */
    uint64_t processes;  /* in this profile */
    uint64_t unfinished; /* merged: so many of them have not ended by themselves */
    uint64_t holes;      /* 1 << enum hole (model/holes.h): why the numbers are not exact */
    uint64_t missing;    /* areas that did not get into the file */
    uint32_t missing_error; /* errno of the first of them */
    uint32_t flags;         /* enum profile_flag */
    profile_name program;   /* path of the executable */
    profile_name host;
    profile_name other_malloc; /* module whose malloc is named in a hole */
    profile_name lost_unknown; /* why lost blocks are not told from reachable ones, if that was asked for */
    uint64_t resets;           /* odd: one is under way */
    struct profile_peak peak;
    uint64_t writer[8];     /* the writer's own */
    uint64_t pid_namespace; /* inode number of the namespace that pid is of (namespaces(7)); 0: not known */
    struct profile_walks walks;
    /* Merged of several: so many are forked children, ... */
    uint64_t forked;
    uint64_t untouched_blocks, untouched_bytes; /* ... which inherited these and left them alone */
    uint64_t resident;                          /* bytes, the most; when the process ended by itself */
    uint32_t ending;                            /* enum profile_ending */
    uint32_t status;                            /* of the exit, or a signal */
    profile_name command;                       /* the command line */
    profile_name walked_for; /* modules whose functions keep no contexts, though some on the same stacks do: a
                                chain of struct profile_frame with their paths as functions */
    uint64_t killed;         /* merged: so many of the unfinished by a signal that is known */
    uint64_t rare;           /* counters of rare events in this file, at most PROFILE_RARE_MAX */
    uint64_t wrong_contexts; /* allocations whose context stood for another stack (contexts_check=1) */
    /* Bits of enum profile_request, which another process sets in the file of a running one. That one clears
     * them when it does so, at the next event of a thread that has left the hot path; PROFILE_SWITCHES has
     * the means to make all threads leave it. */
    uint32_t requests;
    uint32_t unused_half;
    uint64_t unused[19];
};

enum profile_request {
    PROFILE_START = 1, /* at most one of these two */
    PROFILE_STOP = 2,
    PROFILE_RESET = 4,
};

enum profile_ending {
    PROFILE_NO_ENDING,
    PROFILE_EXIT,
    PROFILE_EXIT_AT_ONCE,
    PROFILE_QUICK_EXIT,
    PROFILE_EXEC,       /* another program is executed */
    PROFILE_SIGNAL,     /* status: its number */
    PROFILE_EXIT_GROUP, /* a system call of the program's own, which only its parent has seen */
    PROFILE_ENDINGS
};

enum profile_kind {
    PROFILE_NONE,
    PROFILE_DIRECTORY,     /* struct profile_area[]: chunks of the directory from chunk 1 on */
    PROFILE_NAMES,         /* strings, struct profile_frame and what stacks are made of */
    PROFILE_RECORDS,       /* struct profile_record by slot */
    PROFILE_SLOTS,         /* struct profile_slot by slot */
    PROFILE_TALLIES,       /* struct tally of block index, for slots from first on */
    PROFILE_EXTRAS,        /* struct extra of block index, for slots from first on */
    PROFILE_BLOCKS,        /* struct profile_block by block */
    PROFILE_PAIRS,         /* struct profile_pair[], in any order; key 0: none */
    PROFILE_SIZES,         /* struct profile_sizes by slot */
    PROFILE_BASES,         /* struct profile_base by slot */
    PROFILE_NOTES,         /* struct profile_note[], up to the first that is empty; of merged profiles */
    PROFILE_LIFETIMES,     /* struct profile_lifetimes by slot */
    PROFILE_PARTS,         /* struct profile_part[], up to the first that is empty; of merged profiles */
    PROFILE_RARES,         /* struct rare of block index, for slots from first on */
    PROFILE_POSSIBLY_LOST, /* struct profile_possibly_lost by slot */
    PROFILE_SWITCHES, /* uint64_t by thread: address, in the process, of a word of 4 bytes; once that is 0
                         the thread leaves the hot path at its next event. 0: no thread yet */
    PROFILE_KINDS
};

static inline int profile_is_of_block(uint32_t kind) {
    return kind == PROFILE_TALLIES || kind == PROFILE_EXTRAS || kind == PROFILE_RARES;
}

/* Elements of chunk 0, by kind. */
#define PROFILE_DIRECTORY_FIRST     64
#define PROFILE_NAMES_FIRST         16384
#define PROFILE_RECORDS_FIRST       64
#define PROFILE_SLOTS_FIRST         64
#define PROFILE_BLOCKS_FIRST        512
#define PROFILE_PAIRS_FIRST         4096
#define PROFILE_SIZES_FIRST         32
#define PROFILE_BASES_FIRST         32
#define PROFILE_LIFETIMES_FIRST     32
#define PROFILE_POSSIBLY_LOST_FIRST 256
#define PROFILE_SWITCHES_FIRST      512

#define PROFILE_CHUNKS              22 /* of an array that grows, at most */

struct profile_area {
    uint32_t kind;   /* enum profile_kind, written last; PROFILE_NONE: nothing here (yet); readers skip what
                        they do not know */
    uint32_t index;  /* chunk or block */
    uint64_t offset; /* in the file */
    uint64_t size;   /* in bytes */
    uint64_t first;  /* slot of the first element, of tallies, extras and rares */
};

struct profile_directory {
    uint32_t areas; /* entries, of which some may be unused still */
    uint32_t unused;
    uint64_t chunks[PROFILE_CHUNKS]; /* offset of chunk k of the directory; 0: none; [0] is here */
    uint64_t reserved[233];
    struct profile_area area[PROFILE_DIRECTORY_FIRST];
};

enum profile_what {
    PROFILE_UNUSED, /* nothing was ever counted for the slot; or its record did not get into the file */
    PROFILE_SITE,
    PROFILE_MODULE,
    PROFILE_CALLER,  /* the unsited allocations that return to one address of a module; it has the others */
    PROFILE_STACK,   /* what of the slot `parent` was called from one stack */
    PROFILE_BACKING, /* what of the slot `parent` was taken by a custom allocator to hand it out in parts */
    PROFILE_CUSTOM,  /* the sum over all blocks of custom allocators, which the other slots have too */
};

struct profile_record {
    uint64_t id;           /* stable: hash of the site's descriptor, or of the module's path */
    uint32_t module;       /* slot of its module; a module's own slot */
    uint32_t line, column; /* 0: unknown */
    profile_name function; /* where the call is written; modules: nothing */
    profile_name file;     /* modules: their path */
    profile_name callee;
    profile_name type;
    profile_name inlined;  /* struct profile_frame of the innermost caller */
    profile_name build_id; /* modules: the GNU build id in hexadecimal digits */
    uint32_t what;         /* enum profile_what, written last */
    uint32_t parent;       /* stack, backing: the slot that this is a part of */
    profile_name stack;    /* stack: struct profile_step of the innermost caller */
    uint64_t address;      /* caller: the return address, as the module's ELF file has it */
};

/* A call that was inlined. Aligned to 4 in the names. */
struct profile_frame {
    profile_name function, file;
    uint32_t line, column;
    profile_name caller; /* struct profile_frame: the next one outwards */
};

/* A return address. Aligned to 4 in the names. */
struct profile_return {
    uint32_t module;     /* slot of its module */
    uint32_t address[2]; /* as the module's ELF file has it: low half, high half */
};

/* The address, in no module, that stands for all further calls of a path that was cut: the table of paths was
 * full. Such a path has its innermost calls, and calls that recurse through one call site once. */
#define PROFILE_CUT 1

/* One of a stack. Aligned to 4 in the names; equal stacks share their outer steps. */
struct profile_step {
    profile_name caller; /* struct profile_step: the next one outwards; 0: none, or not kept */
    profile_name to;     /* struct profile_return */
};

/* The numbers of a slot beside what its threads counted. */
struct profile_slot {
    uint64_t inherited_blocks, inherited_bytes; /* live when the process was forked, or at the last reset */
    uint64_t lost_blocks, lost_bytes;           /* with PROFILE_HAS_LOST */
    uint64_t most; /* the most live blocks that were seen since there were several threads, inherited ones not
                      among them */
    uint64_t most_within; /* the true maximum is not above that by more than this */
    int64_t measured;     /* the writer's own */
    uint32_t windows, measures;
};

/* Live blocks that are not among the lost ones and that only memory points to which the program mapped
 * itself; with PROFILE_HAS_LOST. */
struct profile_possibly_lost {
    uint64_t blocks, bytes;
};

/* Epochs are counted in steps that are larger than any number of live blocks. */
#define PROFILE_EPOCH_BITS 34
#define PROFILE_EPOCH_STEP (INT64_C(1) << PROFILE_EPOCH_BITS)

/* The counters, by how they are read while threads count on: what went before what came. The one list that
 * the runtime's sums, the reader and the writer of profiles expand. Those of an extra and the rare ones are
 * counters of the report too, by the same names (model/counters.h).
 *
 * A new counter comes at the end of PROFILE_RARE, and is no new version: the header says how many a file has.
 * Those that it lacks are 0, and those that a reader does not know it says. */
#define PROFILE_TALLY_CAME(X) X(gained) X(gained_bytes)
#define PROFILE_TALLY_WENT(X) X(lost) X(lost_bytes)
#define PROFILE_TALLY(X)      PROFILE_TALLY_CAME(X) PROFILE_TALLY_WENT(X)

#define PROFILE_EXTRA_CAME(X) X(reallocs) X(realloc_bytes) X(realloc_old_bytes)
#define PROFILE_EXTRA_WENT(X) X(moved) X(moved_bytes)
#define PROFILE_EXTRA(X)      PROFILE_EXTRA_CAME(X) PROFILE_EXTRA_WENT(X)

#define PROFILE_RARE(X)       X(failed) X(temporary)

#define PROFILE_COUNTERS(X)   PROFILE_TALLY(X) PROFILE_EXTRA(X) PROFILE_RARE(X)

#define PROFILE_COUNTER(name) uint64_t name;
#define PROFILE_ONE(name)     +1
enum {
    PROFILE_RARE_COUNT = PROFILE_RARE(PROFILE_ONE),
    PROFILE_COMMON_COUNT = PROFILE_TALLY(PROFILE_ONE) PROFILE_EXTRA(PROFILE_ONE),
};

/* Elements with rare counters have a power of two of places, so that none lies in two pages. */
#define PROFILE_RARE_MAX         256
#define PROFILE_PLACES(counters) (UINT64_C(1) << (63 - __builtin_clzll(2 * (counters)-UINT64_C(1))))

/* One thread's part of a slot. All zero is its initial state.
 *
 * The counters only ever rise, but after a reset. An event writes gained before reallocs and lost before
 * moved; whoever reads them meanwhile takes moved before lost, and both from all blocks before reallocs and
 * then gained from any. Live blocks of a slot: gained - lost of all blocks, + inherited_blocks. */
struct tally {
    PROFILE_TALLY_CAME(PROFILE_COUNTER) /* blocks that came: allocs + reallocs */
    PROFILE_TALLY_WENT(PROFILE_COUNTER) /* blocks that went: frees + moved */
    int64_t above;                      /* the writer's own: gained - lost - limit - epoch of looked */
    int64_t limit;                      /* of gained - lost, above which it must be looked at */
    int64_t looked;     /* the epoch in which the slot was last looked at, and in the bits below
                           PROFILE_EPOCH_STEP, signed, the blocks that were live here at the peak */
    int64_t peak_bytes; /* live here at the peak */
};

/* Of slots whose blocks are reallocated. */
struct extra {
    PROFILE_EXTRA(PROFILE_COUNTER)
    uint64_t unused[3];
};

/* Of slots where such a thing happens. */
struct rare {
    union {
        struct {
            PROFILE_RARE(PROFILE_COUNTER)
        };
        uint64_t places[PROFILE_PLACES(PROFILE_RARE_COUNT)];
    };
};

/* A copy takes what came anew once what went is in it. */
#define PROFILE_TAKE(name) to->name = __atomic_load_n(&from->name, __ATOMIC_ACQUIRE);

static inline void extras_take_came(struct extra *to, const struct extra *from, size_t count) {
    for (; count--; to++, from++) {
        PROFILE_EXTRA_CAME(PROFILE_TAKE)
    }
}

static inline void tallies_take_came(struct tally *to, const struct tally *from, size_t count) {
    for (; count--; to++, from++) {
        PROFILE_TALLY_CAME(PROFILE_TAKE)
    }
}

/* Sums of all of them. */
struct flow {
    PROFILE_COUNTERS(PROFILE_COUNTER)
};

/* Carried over, by slot: inherited - (gained - lost) of profile_base. The live blocks and bytes of a tally at
 * the peak: peak_bytes and the blocks in looked, if the epoch of looked is not below peak.epoch and
 * peak.riser is 0; else what is live in it now. Of a slot: the sum of that over its tallies, and what was
 * carried over.
 *
 * The most live blocks of a slot: the larger of profile_slot.most and, over all tallies of it whose looked is
 * below peak.shared_epoch (all if that is 0), gained - lost and, unless looked is below peak.reset_epoch,
 * limit; and what was carried over. */

static inline int64_t tally_epoch(const struct tally *tally) {
    return tally->looked & -PROFILE_EPOCH_STEP;
}

static inline int64_t tally_peak_blocks(const struct tally *tally) {
    return (int64_t)((uint64_t)tally->looked << (64 - PROFILE_EPOCH_BITS)) >> (64 - PROFILE_EPOCH_BITS);
}

struct profile_block {
    profile_name phase; /* 0: outside of all phases */
    uint32_t thread;    /* index among the threads at once */
};

/* The effects of slot by on blocks of slot owner. */
struct profile_pair {
    uint64_t key; /* 1:1 kind:7 owner:28 by:28; slot 0: unknown; kind: enum pair_kind (model/counters.h) */
    uint64_t count, bytes;
};

/* The highest bit, for a key of zeros is an unused place. */
static inline uint64_t pair_key(uint32_t kind, uint64_t owner, uint64_t by) {
    return UINT64_C(1) << 63 | (uint64_t)kind << 56 | owner << 28 | by;
}

static inline uint32_t pair_kind_of(const struct profile_pair *pair) {
    return pair->key >> 56 & 0x7F;
}

static inline uint32_t pair_owner(const struct profile_pair *pair) {
    return pair->key >> 28 & 0xFFFFFFF;
}

static inline uint32_t pair_by(const struct profile_pair *pair) {
    return pair->key & 0xFFFFFFF;
}

/* Requests in each class of sizes (model/counters.h). */
struct profile_sizes {
    uint64_t counts[48];
    uint64_t unused[16];
};

/* How long the blocks of a slot lived that are not its own any more, in what came meanwhile (allocations and
 * reallocations of the process) and in time: the sums, and how many there were in each class, which are those
 * of sizes. */
struct profile_lifetimes {
    uint64_t allocations, nanoseconds;
    uint64_t by_allocations[48], by_time[48];
    uint64_t unused[30];
};

/* The sums at the last reset, to be taken off. */
struct profile_base {
    union {
        struct flow flow;
        uint64_t places[PROFILE_PLACES(PROFILE_COMMON_COUNT + PROFILE_RARE_COUNT)];
    };
};

enum profile_note_what {
    PROFILE_NOTE_NONE,
    PROFILE_NOTE_REASON,  /* why the numbers are not exact, in words */
    PROFILE_NOTE_PROGRAM, /* an executable, if there are several */
};

/* A note says what the header of several processes cannot. */
enum profile_part_what {
    PROFILE_PART_NONE,
    PROFILE_PART_KNOWN,
    PROFILE_PART_UNKNOWN, /* of what thread, or in which phase, is not known */
    PROFILE_PART_RESET,   /* what was counted before resets, which the other parts have and the slots have not
                           */
};

/* What a thread of a process counted in a phase. */
struct profile_part {
    uint64_t pid;
    uint32_t thread;
    profile_name phase;
    uint32_t what; /* enum profile_part_what */
    uint32_t unused;
    struct flow flow;
};

struct profile_note {
    uint32_t what; /* enum profile_note_what */
    profile_name text;
    uint64_t processes; /* of so many the reason is */
};

#ifndef __cplusplus
_Static_assert(sizeof(struct profile_header) == 512, "the header");
_Static_assert(sizeof(struct profile_directory) == PROFILE_PAGE, "the directory's first page");
_Static_assert(sizeof(struct profile_area) == 32 && sizeof(struct profile_record) == 64, "");
_Static_assert(sizeof(struct profile_slot) == 64 && sizeof(struct tally) == 64 && sizeof(struct extra) == 64,
               "");
_Static_assert(sizeof(struct profile_step) == 8, "");
_Static_assert(sizeof(struct profile_note) == 16 && sizeof(struct profile_sizes) == 512, "");
_Static_assert(PROFILE_COMMON_COUNT == 9 && offsetof(struct profile_part, flow.failed) == 96, "");
_Static_assert(PROFILE_RARE_COUNT <= PROFILE_RARE_MAX, "an element of bases is no larger than a page");
_Static_assert(sizeof(struct profile_lifetimes) == 1024, "");
#endif

#endif
