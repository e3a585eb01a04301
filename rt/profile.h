/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The profile: the counters of a process in a file, written by the runtime and read by allocsite-dump. This
 * is the only definition of the format; allocsite-profile(5) describes it in prose.
 *
 * The runtime maps the file MAP_SHARED and counts in it, so the file always has the current counters, however
 * the process ends. The file does not depend on the program's files: names are copied into it.
 *
 *   offset 0       struct profile_header
 *   offset 4096    struct profile_directory: locations of the areas
 *   afterwards     areas, each a multiple of PROFILE_PAGE, in any order
 *
 * Numbers are in the byte order of the machine that wrote the file. Counters are 64 bits wide, aligned, and
 * written by one instruction, so they are never torn.
 *
 * A *slot* is the index of a site, of a module or of a caller (an address in a module that calls the
 * allocator, which stands for unsited allocations), or of a part of one of these. The counters of a whole
 * exclude its parts. A *block* is one thread's array of tallies. When a thread ends, the next one takes over
 * its block, so there are at most as many blocks as simultaneous threads, for each phase. The counters of a
 * slot are sums over all blocks.
 *
 * Growing arrays (names, records, slots ...) consist of chunks (base/arrays.h): chunk k has first << k
 * elements, starting with element first * (2^k - 1), and is an area of its own with index k. */
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
 * would misread raises it. New members of JSON and new counters at the end of PROFILE_RARE do not. From then
 * on readers of files read every released version, and tests read a stored file of each (tests/README.md).
 * Unreleased versions are not read.
 *
 * The site table is not read across versions: allocsite-dump refuses other versions, and the runtime counts
 * such sites for their module and reports that. */
#define PROFILE_VERSION 1

#define PROFILE_PAGE    4096

/* Offset in the names, which are a growing array of bytes; 0: none. Strings are NUL-terminated, and no string
 * or frame crosses chunks. */
typedef uint32_t profile_name;

enum profile_flag {
    PROFILE_HAS_PAIRS = 1,  /* pairs: which sites free and reallocate blocks of which */
    PROFILE_HAS_SIZES = 2,  /* requested sizes */
    PROFILE_HAS_LEAKED = 4, /* leaked blocks */
    PROFILE_IS_FORKED = 8,  /* the process is a forked child; its counters start at the fork */
    /* Merged from several processes. The peak is the largest peak of a process. */
    PROFILE_IS_MERGED = 16,
    PROFILE_IS_COPY = 32, /* copy of one moment; the process went on */
    /* A forked child that has not recorded its inherited blocks. A slot's inherited blocks are at least the
     * blocks that it released minus those that it allocated. */
    PROFILE_INHERITS = 64,
    PROFILE_HAS_LIFETIMES = 128, /* lifetimes of blocks */
    PROFILE_IS_ASLEEP = 256,     /* started with enabled=0; may start to count later */
    PROFILE_IS_PRIVATE = 512,    /* copy of private memory: the kernel gave the process no memory file */
};

/* The maximum of live bytes. */
struct profile_peak {
    int64_t bytes;
    int64_t epoch;        /* epoch that began with it, a multiple of PROFILE_EPOCH_STEP; 0: nothing was ever
                           * live */
    uint64_t within;      /* the true peak exceeds it by at most this */
    int64_t shared_epoch; /* epoch in which the process got its second thread; 0: it has one */
    int64_t reset_epoch;  /* epoch that began with the last reset; 0: none */
    uint32_t riser;       /* not 0: live bytes exceed the peak and are rising; the live values are the peak */
    uint32_t unused;
};

/* How the calling frames of distinct stacks were found, with stack=N, and what was not recorded. */
struct profile_walks {
    uint64_t depth;          /* N; 0: stacks were not requested */
    uint64_t ended_early;    /* stacks that end early for another reason than N */
    uint64_t without_stack;  /* events counted only for their slot, because the table of stacks was full */
    uint64_t without_caller; /* in reports; in a profile, events counted in slots of modules because the table
                              * of callers was full */
};

/* Parts of a process's resident memory: name, name in JSON, words for people. */
#define RESIDENT_PARTS(X)                                                                                    \
    X(RESIDENT_IN_USE, "heap_in_use", "live blocks")                                                         \
    X(RESIDENT_FREE, "heap_free", "heap that no live block uses")                                            \
    X(RESIDENT_MAPPINGS, "mappings", "mappings of the program")                                              \
    X(RESIDENT_STACKS, "stacks", "stacks")                                                                   \
    X(RESIDENT_CODE, "modules", "code and variables of modules")                                             \
    X(RESIDENT_FILES, "files", "other files, and shared memory")                                             \
    X(RESIDENT_OWN, "allocsite", "allocsite itself")                                                         \
    X(RESIDENT_UNKNOWN, "unknown", "other mappings")

enum resident_part {
#define RESIDENT_PART(part, name, words) part,
    RESIDENT_PARTS(RESIDENT_PART)
#undef RESIDENT_PART
        RESIDENT_PART_COUNT
};

struct profile_header {
    char magic[PROFILE_MAGIC_SIZE];
    uint32_t version;
    uint32_t byte_order;
    uint64_t pid;           /* in the process's own namespace; 0: several processes */
    uint64_t start_time;    /* of the process, in clock ticks since boot; identifies it together with pid */
    uint64_t begun;         /* start of counting, in nanoseconds since 1970-01-01 UTC */
    uint64_t ended;         /* time of a normal end; 0: none */
    uint64_t processes;     /* in this profile */
    uint64_t unfinished;    /* merged: number that did not end normally */
    uint64_t gaps;          /* 1 << enum gap (model/gaps.h): why the numbers are not exact */
    uint64_t missing;       /* areas that could not be added to the file */
    uint32_t missing_error; /* errno of the first failure */
    uint32_t flags;         /* enum profile_flag */
    profile_name program;   /* path of the executable */
    profile_name host;
    profile_name other_malloc;   /* module of another malloc, for the text of a gap */
    profile_name leaked_unknown; /* why leaked blocks are unknown although requested */
    uint64_t resets;             /* odd: a reset is in progress */
    struct profile_peak peak;
    uint64_t writer[8];     /* private to the writer */
    uint64_t pid_namespace; /* inode number of the pid namespace of pid (namespaces(7)); 0: unknown */
    struct profile_walks walks;
    /* Merged: number of forked children, ... */
    uint64_t forked;
    uint64_t untouched_blocks, untouched_bytes; /* ... inherited blocks that these left untouched */
    uint64_t resident;                          /* maximum in bytes, at a normal end */
    uint32_t ending;                            /* enum profile_ending */
    uint32_t status;                            /* exit status, or signal number */
    profile_name command;                       /* the command line */
    profile_name walked_for; /* modules that keep no contexts although other functions on the same stacks do:
                              * a chain of struct profile_frame with their paths as functions */
    uint64_t killed;         /* merged: number of unfinished processes that were ended by a known signal */
    uint64_t rare;           /* number of rare counters in this file, at most PROFILE_RARE_MAX */
    uint64_t wrong_contexts; /* allocations with a context that belonged to another stack
                              * (contexts_check=1) */
    /* Bits of enum profile_request, set by another process in the file of a running one. The process clears
     * them when it handles them, at the next event of a thread outside of the hot path. PROFILE_SWITCHES is
     * the means to make all threads leave it. */
    uint32_t requests;
    profile_name ended_at; /* with fatal=1, of a process that a signal ended: the stack of the signal, struct
                            * profile_step of the innermost frame; 0: unknown */
    uint64_t peak_time;    /* like profile_part_peak.time, while the process has one thread and no phase */
    uint64_t resident_parts[RESIDENT_PART_COUNT]; /* with maps=1, in bytes at a normal end; all 0: unknown */
    uint64_t unused[12];
};

enum profile_request {
    PROFILE_START = 1, /* at most one of START and STOP is set */
    PROFILE_STOP = 2,
    PROFILE_RESET = 4,
};

enum profile_ending {
    PROFILE_NO_ENDING,
    PROFILE_EXIT,
    PROFILE_EXIT_AT_ONCE,
    PROFILE_QUICK_EXIT,
    PROFILE_EXEC,       /* executed another program */
    PROFILE_SIGNAL,     /* status: the signal's number */
    PROFILE_EXIT_GROUP, /* the program's own system call, observed by its parent */
    PROFILE_ENDINGS
};

enum profile_kind {
    PROFILE_NONE,
    PROFILE_DIRECTORY,       /* struct profile_area[]: chunks of the directory from chunk 1 on */
    PROFILE_NAMES,           /* strings, struct profile_frame, profile_return and profile_step */
    PROFILE_RECORDS,         /* struct profile_record by slot */
    PROFILE_SLOTS,           /* struct profile_slot by slot */
    PROFILE_TALLIES,         /* struct tally of block index, for slots from first on */
    PROFILE_EXTRAS,          /* struct extra of block index, for slots from first on */
    PROFILE_BLOCKS,          /* struct profile_block by block */
    PROFILE_PAIRS,           /* struct profile_pair[], in any order; key 0: unused */
    PROFILE_SIZES,           /* struct profile_sizes by slot */
    PROFILE_BASES,           /* struct profile_base by slot */
    PROFILE_NOTES,           /* struct profile_note[], ends with an empty one; in merged profiles */
    PROFILE_LIFETIMES,       /* struct profile_lifetimes by slot */
    PROFILE_PARTS,           /* struct profile_part[], ends with an empty one; in merged profiles */
    PROFILE_RARES,           /* struct rare of block index, for slots from first on */
    PROFILE_POSSIBLY_LEAKED, /* struct profile_possibly_leaked by slot */
    PROFILE_SWITCHES, /* uint64_t by thread: address of a 4-byte word in the process. Setting it to 0 makes
                       * the thread leave the hot path at its next event. 0: no thread yet */
    PROFILE_KINDS
};

static inline int profile_is_of_block(uint32_t kind) {
    return kind == PROFILE_TALLIES || kind == PROFILE_EXTRAS || kind == PROFILE_RARES;
}

/* Elements of chunk 0, by kind. */
#define PROFILE_DIRECTORY_FIRST       64
#define PROFILE_NAMES_FIRST           16384
#define PROFILE_RECORDS_FIRST         64
#define PROFILE_SLOTS_FIRST           64
#define PROFILE_BLOCKS_FIRST          512
#define PROFILE_PAIRS_FIRST           4096
#define PROFILE_SIZES_FIRST           32
#define PROFILE_BASES_FIRST           32
#define PROFILE_LIFETIMES_FIRST       32
#define PROFILE_POSSIBLY_LEAKED_FIRST 256
#define PROFILE_SWITCHES_FIRST        512

#define PROFILE_CHUNKS                22 /* maximum for a growing array */

struct profile_area {
    uint32_t kind;   /* enum profile_kind, written last; PROFILE_NONE: unused; readers skip unknown kinds */
    uint32_t index;  /* chunk or block */
    uint64_t offset; /* in the file */
    uint64_t size;   /* in bytes */
    uint64_t first;  /* slot of the first element of tallies, extras and rares */
};

struct profile_directory {
    uint32_t areas; /* number of entries, including unused ones */
    uint32_t unused;
    uint64_t chunks[PROFILE_CHUNKS]; /* offset of chunk k of the directory; 0: none; chunk 0 is here */
    uint64_t reserved[233];
    struct profile_area area[PROFILE_DIRECTORY_FIRST];
};

enum profile_what {
    PROFILE_UNUSED, /* nothing was counted for the slot, or its record could not be added to the file */
    PROFILE_SITE,
    PROFILE_MODULE,
    PROFILE_CALLER, /* unsited allocations that return to one address of a module; PROFILE_MODULE has the
                     * others */
    PROFILE_STACK,  /* the part of slot `parent` with one stack */
    PROFILE_CUSTOM_CHUNK, /* the chunks of a custom allocator that slot `parent` allocated */
    PROFILE_CUSTOM,       /* the sum over all blocks of custom allocators, which other slots include */
    PROFILE_MAPPED,       /* the mappings that slot `parent` made, with maps=1 */
};

struct profile_record {
    uint64_t id;           /* stable: hash of the site's descriptor, or of the module's path */
    uint32_t module;       /* slot of its module; a module's own slot */
    uint32_t line, column; /* 0: unknown */
    profile_name function; /* function that contains the call; modules: none */
    profile_name file;     /* modules: path */
    profile_name callee;
    profile_name type;
    profile_name inlined;  /* struct profile_frame of the innermost caller */
    profile_name build_id; /* modules: GNU build id in hexadecimal */
    uint32_t what;         /* enum profile_what, written last */
    uint32_t parent;       /* stack, chunk, mapping: the slot of which this is a part */
    profile_name stack;    /* stack: struct profile_step of the innermost caller */
    uint64_t address;      /* caller: return address, as in the module's ELF file */
};

/* An inlined call. Aligned to 4 in the names. */
struct profile_frame {
    profile_name function, file;
    uint32_t line, column;
    profile_name caller; /* struct profile_frame: the next one outwards */
};

/* A return address. Aligned to 4 in the names. */
struct profile_return {
    uint32_t module;     /* slot of its module */
    uint32_t address[2]; /* as in the module's ELF file: low half, high half */
};

/* An address in no module that stands for the missing calls of a cut path, after the table of paths was full.
 * Such a path has its innermost calls, and recursive calls from one address only once. */
#define PROFILE_CUT 1

/* A frame link. Aligned to 4 in the names; equal stacks share their outer links. */
struct profile_step {
    profile_name caller; /* struct profile_step: the next one outwards; 0: none, or not recorded */
    profile_name to;     /* struct profile_return */
};

/* The data of a slot that its threads do not count. */
struct profile_slot {
    uint64_t inherited_blocks, inherited_bytes; /* live when the process was forked, or at the last reset */
    uint64_t leaked_blocks, leaked_bytes;       /* with PROFILE_HAS_LEAKED */
    uint64_t most; /* maximum of live blocks observed since there were several threads, without inherited
                    * ones */
    uint64_t most_within; /* the true maximum exceeds `most` by at most this */
    int64_t measured;     /* private to the writer */
    uint32_t windows, measures;
};

/* Live blocks that are possibly leaked: only memory that the program mapped itself points to them. With
 * PROFILE_HAS_LEAKED. */
struct profile_possibly_leaked {
    uint64_t blocks, bytes;
};

/* Epochs advance in steps larger than any number of live blocks. */
#define PROFILE_EPOCH_BITS 34
#define PROFILE_EPOCH_STEP (INT64_C(1) << PROFILE_EPOCH_BITS)

/* The counters, in an order for reading while threads count: released before allocated. The runtime's sums,
 * the reader and the writer of profiles expand this list. The extra and rare counters are also counters of
 * the report, with the same names (model/counters.h).
 *
 * A new counter is added at the end of PROFILE_RARE and does not change the version: the header has the
 * number of rare counters. Counters that a file lacks are 0, and a reader reports counters that it does not
 * know. */
#define PROFILE_TALLY_CAME(X) X(allocated) X(allocated_bytes)
#define PROFILE_TALLY_WENT(X) X(released) X(released_bytes)
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

/* Elements with rare counters have a power of two of places, so that none crosses a page. */
#define PROFILE_RARE_MAX         256
#define PROFILE_PLACES(counters) (UINT64_C(1) << (63 - __builtin_clzll(2 * (counters)-UINT64_C(1))))

/* One thread's part of a slot. Initially all zero.
 *
 * Counters only increase, except by a reset. An event writes allocated before reallocs, and released before
 * moved. A concurrent reader therefore reads moved before released, both from all blocks before reallocs, and
 * then allocated from any block. Live blocks of a slot: sum of allocated - released over all blocks, plus
 * inherited_blocks. */
struct tally {
    PROFILE_TALLY_CAME(PROFILE_COUNTER) /* blocks allocated: allocs + reallocs */
    PROFILE_TALLY_WENT(PROFILE_COUNTER) /* blocks released: frees + moved */
    int64_t above;      /* private to the writer: allocated - released - limit - epoch of looked */
    int64_t limit;      /* the slot must be examined when allocated - released exceeds it */
    int64_t looked;     /* epoch in which the slot was last examined; the bits below PROFILE_EPOCH_STEP have,
                         * signed, the blocks that were live here at the peak */
    int64_t peak_bytes; /* live here at the peak */
};

/* For slots with reallocated blocks. */
struct extra {
    PROFILE_EXTRA(PROFILE_COUNTER)
    uint64_t unused[3];
};

/* For slots with such events. */
struct rare {
    union {
        struct {
            PROFILE_RARE(PROFILE_COUNTER)
        };
        uint64_t places[PROFILE_PLACES(PROFILE_RARE_COUNT)];
    };
};

/* Copies allocated counters again after released ones were copied, to keep the order above. */
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

/* Sums of all counters. */
struct flow {
    PROFILE_COUNTERS(PROFILE_COUNTER)
};

/* The peak and the maximum of a slot, from its tallies.
 *
 * Carry of a slot: inherited - (allocated - released) of profile_base.
 *
 * Live at the peak, of a tally: peak_bytes and the blocks in looked, if the epoch of looked is at least
 * peak.epoch and peak.riser is 0; otherwise its live blocks and bytes now. Of a slot: the sum over its
 * tallies plus the carry.
 *
 * The maximum of live blocks of a slot is the carry plus the largest of these numbers: profile_slot.most;
 * allocated - released of each tally whose `looked` is below peak.shared_epoch (of all tallies if that is 0);
 * and `limit` of each such tally, unless its `looked` is below peak.reset_epoch. */

static inline int64_t tally_epoch(const struct tally *tally) {
    return tally->looked & -PROFILE_EPOCH_STEP;
}

static inline int64_t tally_peak_blocks(const struct tally *tally) {
    return (int64_t)((uint64_t)tally->looked << (64 - PROFILE_EPOCH_BITS)) >> (64 - PROFILE_EPOCH_BITS);
}

/* The maximum of the bytes that a thread or phase had allocated and not released. */
struct profile_part_peak {
    int64_t bytes;
    uint64_t time;   /* in nanoseconds since 1970-01-01 UTC, to some milliseconds; 0: unknown */
    uint64_t within; /* the true maximum exceeds it by at most this */
};

struct profile_block {
    profile_name phase; /* 0: outside of all phases */
    uint32_t thread;    /* index among simultaneous threads */
    /* peak: of the thread in this phase. thread_peak: of the thread, in its block outside of phases alone.
     * Both are zero while the process has one thread and no phase: the header has its peak. */
    struct profile_part_peak peak, thread_peak;
    int64_t live; /* private to the writer */
};

/* The effects of slot `by` on blocks of slot `owner`. */
struct profile_pair {
    uint64_t key; /* 1:1 kind:7 owner:28 by:28; slot 0: unknown; kind: enum pair_kind (model/counters.h) */
    uint64_t count, bytes;
};

/* The highest bit is set, because key 0 marks an unused element. */
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

/* Requests per size class (model/counters.h). */
struct profile_sizes {
    uint64_t counts[48];
    uint64_t unused[16];
};

/* Lifetimes of the blocks that a slot no longer owns, measured in allocations and reallocations of the
 * process and in time: the sums, and the number of blocks per class. Classes are those of sizes. */
struct profile_lifetimes {
    uint64_t allocations, nanoseconds;
    uint64_t by_allocations[48], by_time[48];
    uint64_t unused[30];
};

/* The sums at the last reset, to be subtracted. */
struct profile_base {
    union {
        struct flow flow;
        uint64_t places[PROFILE_PLACES(PROFILE_COMMON_COUNT + PROFILE_RARE_COUNT)];
    };
};

enum profile_note_what {
    PROFILE_NOTE_NONE,
    PROFILE_NOTE_REASON,  /* text of a reason why the numbers are not exact */
    PROFILE_NOTE_PROGRAM, /* an executable, if there are several */
};

/* Notes have what the header of a merged profile cannot hold. */
enum profile_part_what {
    PROFILE_PART_NONE,
    PROFILE_PART_KNOWN,
    PROFILE_PART_UNKNOWN, /* thread or phase is unknown */
    PROFILE_PART_RESET,   /* counted before resets: included in the other parts, but not in slots */
};

/* The counters of a thread of a process in a phase. */
struct profile_part {
    uint64_t pid;
    uint32_t thread;
    profile_name phase;
    uint32_t what; /* enum profile_part_what */
    uint32_t unused;
    struct profile_part_peak peak, thread_peak; /* as in a block */
    struct flow flow;
};

struct profile_note {
    uint32_t what; /* enum profile_note_what */
    profile_name text;
    uint64_t processes; /* number of processes to which the reason applies */
};

#ifndef __cplusplus
_Static_assert(offsetof(struct profile_header, resident_parts) == 352 && sizeof(struct profile_header) == 512,
               "allocsite-profile(5) has the offsets");
_Static_assert(sizeof(struct profile_directory) == PROFILE_PAGE, "the directory's first page");
_Static_assert(sizeof(struct profile_area) == 32 && sizeof(struct profile_record) == 64, "");
_Static_assert(sizeof(struct profile_slot) == 64 && sizeof(struct tally) == 64 && sizeof(struct extra) == 64,
               "");
_Static_assert(sizeof(struct profile_step) == 8 && sizeof(struct profile_block) == 64, "");
_Static_assert(sizeof(struct profile_note) == 16 && sizeof(struct profile_sizes) == 512, "");
_Static_assert(PROFILE_COMMON_COUNT == 9 && offsetof(struct profile_part, flow.failed) == 144, "");
_Static_assert(PROFILE_RARE_COUNT <= PROFILE_RARE_MAX, "an element of bases is no larger than a page");
_Static_assert(sizeof(struct profile_lifetimes) == 1024, "");
#endif

#endif
