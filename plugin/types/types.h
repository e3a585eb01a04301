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

/* A call as the IR has it, before any optimisation. */
struct allocsite_types_question {
    const char *function;   /* symbol of the function that it stands in */
    const char *file;       /* of that function, as its debug info names it; only the last part counts */
    unsigned function_line; /* of that function; 0: code that clang made, such as global initialisers */
    const char *callee;     /* symbol */
    unsigned line, column;  /* of the call; column 0: any */
    unsigned ordinal;       /* among the calls of this callee at this position, from 0 (macros) */
    unsigned count;         /* how many these are */
    bool held; /* whether the block is in a structure that the call is given, and not its result */
};

/* The spelled type, or NULL: unknown. It lives until the next source file is compiled. */
#define ALLOCSITE_TYPES_FIND "allocsite_types_v1_find"
typedef const char *allocsite_types_find(const struct allocsite_types_question *question);
allocsite_types_find allocsite_types_v1_find;

/* The structure that comes back with the block in it, which says less than the block's own type; NULL: none
 * does. */
#define ALLOCSITE_TYPES_HOLDER "allocsite_types_v1_holder"
allocsite_types_find allocsite_types_v1_holder;

/* The name of the variable or the member that holds the pointer which is called, or of the virtual function;
 * NULL: it has none. */
#define ALLOCSITE_TYPES_POINTER "allocsite_types_v1_pointer"
allocsite_types_find allocsite_types_v1_pointer;

/* The type of what a function of a template makes for its caller: an element that it is given, or the node of
 * one, or the class that it is told to make; NULL: it makes something else. */
#define ALLOCSITE_TYPES_ELEMENT "allocsite_types_v1_element"
allocsite_types_find allocsite_types_v1_element;

/* The type of the characters of a text that a call by a pointer copies: it is given one, and returns one that
 * may be changed; NULL: it does not. */
#define ALLOCSITE_TYPES_COPIED "allocsite_types_v1_copied"
allocsite_types_find allocsite_types_v1_copied;

/* A function without a body, as far as its declaration tells whether it could hand on a block or give one
 * back. */
struct allocsite_types_declaration {
    unsigned values;        /* that it takes in the IR, if nobody else adds any */
    unsigned long sizes;    /* bits of those that a block's size can depend on; 0: it hands on none */
    unsigned out;           /* number from 1 of the one that tells where to leave it; 0: it is returned */
    bool makes;             /* whether what it returns can be a block, of whatever size */
    unsigned long written;  /* bits of those that text can be written to */
    unsigned grows;         /* number from 1 of the one whose block it can make grow; 0: none */
    bool held;              /* whether that block is surely not what it returns */
    unsigned freed;         /* number from 1 of the one that can be a block; 0: it gives none back */
    unsigned long buffers;  /* bits of those that point at a buffer or are one */
    unsigned long elements; /* bits of those that are its elements, and not how many there are */
    bool container;         /* whether it is a container's, which is passed first, and is given an element */
    unsigned long places;   /* bits of those that point at a pointer, or at no matter what */
};

/* False: the program declares none of that symbol, or the file does not use it. */
#define ALLOCSITE_TYPES_DECLARED "allocsite_types_v1_declared"
typedef bool allocsite_types_declared(const char *symbol, struct allocsite_types_declaration *declaration);
allocsite_types_declared allocsite_types_v1_declared;

/* The same of a function with a body, as its first declaration tells other files; of the question only the
 * function counts. */
#define ALLOCSITE_TYPES_DEFINED "allocsite_types_v1_defined"
typedef bool allocsite_types_defined(const struct allocsite_types_question *question,
                                     struct allocsite_types_declaration *declaration);
allocsite_types_defined allocsite_types_v1_defined;

/* Whether the path, as debug info names it, is that of a header of the system (-isystem and its kin). */
#define ALLOCSITE_TYPES_IS_SYSTEM "allocsite_types_v1_is_system"
typedef int allocsite_types_is_system(const char *path);
allocsite_types_is_system allocsite_types_v1_is_system;

/* The file, as it was opened, that declares the function of that symbol, which the source file uses; NULL:
 * unknown. Not of members of std. */
#define ALLOCSITE_TYPES_DECLARED_IN "allocsite_types_v1_declared_in"
typedef const char *allocsite_types_declared_in(const char *symbol);
allocsite_types_declared_in allocsite_types_v1_declared_in;

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
