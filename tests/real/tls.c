/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Preloaded into the plain build and, for programs with threads, linked into it, so that both builds have
 * equally many modules with TLS: the C library allocates 16 bytes for each of them whenever it makes a thread
 * (struct dtv, elf/dl-tls.c of glibc). The runtime is one of these modules, and so is an executable that
 * keeps contexts. */
__thread char one_more;
