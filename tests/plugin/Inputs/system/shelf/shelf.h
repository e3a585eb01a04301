/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A library of C in a file of its own. */
#ifdef __cplusplus
extern "C" {
#endif

struct shelf;

struct shelf *shelf_new(void);
int shelf_set(struct shelf *shelf, const char *text);
void shelf_each(struct shelf *shelf, void (*see)(const char *text, void *data), void *data);
int shelf_count(const struct shelf *shelf) __attribute__((pure));
int shelf_clear(struct shelf *shelf) __attribute__((nothrow));
void shelf_fail(const struct shelf *shelf) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif
