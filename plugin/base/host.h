/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which LLVM has loaded this plugin. C, because a C++ call into another major may already crash. */
#ifndef ALLOCSITE_BASE_HOST_H
#define ALLOCSITE_BASE_HOST_H

#ifdef __cplusplus
extern "C" {
#endif

/* The major version of the LLVM in this process; 0: it does not tell. */
unsigned host_llvm_major(void);

#ifdef __cplusplus
}
#endif

#endif
