/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A library that is not compiled with the plugin. */
#ifdef __cplusplus
extern "C" {
#endif

struct shelf;

struct shelf *shelf_new(void);
void shelf_put(struct shelf *shelf, const char *text);
void shelf_each(struct shelf *shelf, void (*see)(const char *text, void *data), void *data);
void shelf_noise(void);

#ifdef __cplusplus
}
#endif
