/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a forked child without a profile has inherited: nobody has written it down. */
#ifndef ALLOCSITE_REMOTE_INHERITED_H
#define ALLOCSITE_REMOTE_INHERITED_H

#include "remote_areas.h"

/* Enters in the image, for each slot that can have a record, as much as it has given back beyond what it ever
 * had of its own: so much it has inherited at least. False: out of memory. */
bool remote_inherited_add(const struct remote_areas *, struct profile_image *, uint32_t records);

#endif
