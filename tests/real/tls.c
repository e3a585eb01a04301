/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Preloaded into the plain build, so that both builds have equally many libraries with TLS: the C library
 * allocates 16 bytes for each of them whenever it makes a thread (struct dtv, elf/dl-tls.c of glibc). */
__thread char one_more;
