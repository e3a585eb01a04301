/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What stands in merged profiles besides what profile.h has. Only allocsite-dump writes it;
 * allocsite-profile(5) says it in prose. */
#ifndef ALLOCSITE_PROFILE_NOTES_H
#define ALLOCSITE_PROFILE_NOTES_H

#include "../profile.h"

/* Kind of an area: struct profile_note[], one area, up to the first that is empty. Far from those that
 * programs write. */
#define PROFILE_NOTES 256u

enum profile_note_what {
    PROFILE_NOTE_NONE,
    PROFILE_NOTE_REASON,  /* why the numbers are not exact, in words */
    PROFILE_NOTE_PROGRAM, /* an executable, if there are several */
};

struct profile_note {
    uint32_t what;
    profile_name text;
    uint64_t processes; /* of so many the reason is */
};

#ifndef __cplusplus
_Static_assert(sizeof(struct profile_note) == 16, "a note");
#endif

#endif
