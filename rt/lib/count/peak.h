/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The peak as the report needs it. How it is found: tally.h. */
#ifndef ALLOCSITE_LIB_COUNT_PEAK_H
#define ALLOCSITE_LIB_COUNT_PEAK_H

#include "lib/base/local.h"
#include "lib/count/tally.h"

/* The process is about to have a second thread. */
void peak_several_threads(void);

/* Whether it has. */
bool peak_is_shared(void);

/* Adds what was live in this tally at the peak. */
void peak_share(const struct tally *, int64_t *blocks, int64_t *bytes);

/* The most live blocks of the tally's slot while it was counted by one thread alone; 0: not known here. */
int64_t peak_tally_most(const struct tally *);

/* The thread was asked back for what it need not rise by. Keeps errno. */
void peak_give_back(struct thread *);

/* The peak is what is live now. */
void peak_reset(void);

/* The true peak of all live bytes is not above the one found by more than this. */
uint64_t peak_within(void);

#endif
