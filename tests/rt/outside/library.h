/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifdef __cplusplus
extern "C" {
#endif

/* Each allocates once, at one line of the library. */
void *library_text(int n);
void *library_deep(int frames);
void library_call(int (*back)(int), int n);

/* A reallocation. */
void *library_more(void *p, int n);

#ifdef __cplusplus
}
#endif
