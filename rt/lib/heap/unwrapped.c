/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In a static link with --wrap=malloc the runtime's __real_malloc is the C library's malloc. In a link
 * without --wrap this file defines __real_malloc, which calls malloc; then only sited calls are counted. (lld
 * takes this file from the archive in either case.) */
#define _GNU_SOURCE
#include "lib/heap/underlying.h"

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#define PASS_ON(name, result, parameters, arguments)                                                         \
    result __real_##name parameters;                                                                         \
    result __real_##name parameters {                                                                        \
        return name arguments;                                                                               \
    }
UNDERLYING_FUNCTIONS(PASS_ON)

PASS_ON(fclose, int, (FILE * stream), (stream))
PASS_ON(brk, int, (void *end), (end))
PASS_ON(mmap, void *, (void *address, size_t n, int protection, int flags, int fd, off_t offset),
        (address, n, protection, flags, fd, offset))
PASS_ON(mmap64, void *, (void *address, size_t n, int protection, int flags, int fd, off_t offset),
        (address, n, protection, flags, fd, offset))
PASS_ON(mremap, void *, (void *old, size_t old_n, size_t n, int flags, void *to), (old, old_n, n, flags, to))
PASS_ON(munmap, int, (void *p, size_t n), (p, n))
PASS_ON(sbrk, void *, (intptr_t change), (change))
PASS_ON(shmat, void *, (int id, const void *address, int flags), (id, address, flags))
PASS_ON(shmdt, int, (const void *p), (p))
PASS_ON(mlockall, int, (int flags), (flags))
PASS_ON(pthread_create, int,
        (pthread_t * thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument),
        (thread, attributes, start, argument))

struct __jmp_buf_tag;

#define JUMP_ON(name)                                                                                        \
    __attribute__((noreturn)) void name(struct __jmp_buf_tag *, int);                                        \
    __attribute__((noreturn)) void __real_##name(struct __jmp_buf_tag *, int);                               \
    void __real_##name(struct __jmp_buf_tag *to, int value) {                                                \
        name(to, value);                                                                                     \
    }

JUMP_ON(longjmp)
JUMP_ON(_longjmp)
JUMP_ON(siglongjmp)
JUMP_ON(__longjmp_chk)
