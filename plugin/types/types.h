/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The contract between the two halves of the plugin. allocsite-types.so sees clang's AST: it knows the types
 * that calls allocate, and which headers are system headers. allocsite.so sees the IR.
 *
 * Both halves are loaded into one process, and neither needs the other: the pass looks up the functions by
 * dlsym, and falls back to debug info. The function names include the version of this file. The functions are
 * called in the thread that runs the compilation, between the end of parsing and the end of the pass's first
 * stage.
 *
 * A type is spelled as the canonical type of one element, without qualifiers and default template arguments:
 * `struct foo` in C, `ns::Foo<int>` in C++. The name of a typedef is used only if the type has no other name.
 * Memory that is still void * where it is allocated is ALLOCSITE_BYTES (format.h). */
#ifndef ALLOCSITE_TYPES_TYPES_H
#define ALLOCSITE_TYPES_TYPES_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A call in the IR, before any optimisation. The question asks for the type that an allocator's call
 * allocates, or for the type that the use of another function's result reveals beyond the function's
 * declaration. */
struct allocsite_types_question {
    const char *function;   /* symbol of the function that contains the call */
    const char *file;       /* of that function, as in debug info; only the last path component counts */
    unsigned function_line; /* of that function; 0: generated code, such as global initialisers */
    const char *callee;     /* symbol; "": unknown */
    unsigned line, column;  /* of the call; column 0: any */
    unsigned ordinal;       /* among the calls of this callee at this position, from 0 (macros) */
    unsigned count;         /* number of these calls */
    bool is_of_use;         /* the callee is no allocator: asks about the use of its result */
};

/* Returns the spelled type, which is valid until the next source file is compiled. NULL: unknown, or the
 * callee is no allocator and its declaration gives the type. */
#define ALLOCSITE_TYPES_FIND "allocsite_types_v1_find"
typedef const char *allocsite_types_find(const struct allocsite_types_question *question);
allocsite_types_find allocsite_types_v1_find;

/* Returns whether the path, as in debug info, names a system header (-isystem and similar options). */
#define ALLOCSITE_TYPES_IS_SYSTEM "allocsite_types_v1_is_system"
typedef int allocsite_types_is_system(const char *path);
allocsite_types_is_system allocsite_types_v1_is_system;

/* Returns whether one section of the object file holds all functions without a declared section. False with
 * -ffunction-sections and similar options, and if the compiler writes neither an object file nor assembly. */
#define ALLOCSITE_TYPES_ONE_SECTION "allocsite_types_v1_one_section"
typedef bool allocsite_types_one_section(void);
allocsite_types_one_section allocsite_types_v1_one_section;

/* Called after the last question about this source file. Frees clang's AST, if clang would have freed it
 * before code generation. */
#define ALLOCSITE_TYPES_FINISH "allocsite_types_v1_finish"
typedef void allocsite_types_finish(void);
allocsite_types_finish allocsite_types_v1_finish;

#ifdef __cplusplus
}
#endif

#endif
