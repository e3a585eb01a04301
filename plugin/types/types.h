/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The contract between allocsite-types.so, the half that sees clang's AST, and allocsite.so, the half that
 * sees the IR: the former tells the type that a call allocates, and which headers are the system's.
 *
 * Both stand in one process, and neither needs the other: the pass looks the functions up by dlsym and
 * falls back to debug info. The names hold the version of this file. Both are called from the thread that
 * runs the compilation, between the end of parsing and the end of the first stage of the pass.
 *
 * How a type is spelled: as the canonical type of one element, without qualifiers and without what the
 * language fills in by itself: `struct foo` in C, `ns::Foo<int>` in C++, a typedef's name only where the type
 * has no other. Memory that stays void * where it is allocated is ALLOCSITE_BYTES (format.h).
 */
#ifndef ALLOCSITE_TYPES_TYPES_H
#define ALLOCSITE_TYPES_TYPES_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A call as the IR has it, before any optimisation. The type of an allocator's call is asked for, or what the
 * use of another function's result tells beyond the function's declaration. */
struct allocsite_types_question {
    const char *function;   /* symbol of the function that it stands in */
    const char *file;       /* of that function, as its debug info names it; only the last part counts */
    unsigned function_line; /* of that function; 0: code that clang made, such as global initialisers */
    const char *callee;     /* symbol; "": not known */
    unsigned line, column;  /* of the call; column 0: any */
    unsigned ordinal;       /* among the calls of this callee at this position, from 0 (macros) */
    unsigned count;         /* how many these are */
    bool is_of_use;         /* of another function than an allocator */
};

/* The spelled type, or NULL: unknown, or of another function than an allocator: its declaration tells the
 * type. It lives until the next source file is compiled. */
#define ALLOCSITE_TYPES_FIND "allocsite_types_v1_find"
typedef const char *allocsite_types_find(const struct allocsite_types_question *question);
allocsite_types_find allocsite_types_v1_find;

/* Whether the path, as debug info names it, is that of a header of the system (-isystem and its kin). */
#define ALLOCSITE_TYPES_IS_SYSTEM "allocsite_types_v1_is_system"
typedef int allocsite_types_is_system(const char *path);
allocsite_types_is_system allocsite_types_v1_is_system;

/* Whether the functions of the object file that have no section of their own by their declaration stand in
 * one: not with -ffunction-sections and its kin, and not known before an object file is made. */
#define ALLOCSITE_TYPES_ONE_SECTION "allocsite_types_v1_one_section"
typedef bool allocsite_types_one_section(void);
allocsite_types_one_section allocsite_types_v1_one_section;

/* No question about this source file follows: lets go of clang's AST. */
#define ALLOCSITE_TYPES_FINISH "allocsite_types_v1_finish"
typedef void allocsite_types_finish(void);
allocsite_types_finish allocsite_types_v1_finish;

#ifdef __cplusplus
}
#endif

#endif
