/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tables by enumerator. */
#ifndef ALLOCSITE_BASE_COVERS_H
#define ALLOCSITE_BASE_COVERS_H

/* Behind a table without a bound of its own: an enumerator that is added without an entry there would index
 * past its end. */
#define COVERS(table, count) _Static_assert(sizeof(table) / sizeof *(table) == (count), "an entry for each")

#endif
