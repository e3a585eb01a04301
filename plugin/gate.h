/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Twins that may be elsewhere: they are gates, jumps to where a pointer leads, as the linkage table's that a
 * call by the wrapper's name takes.
 *
 * The twin of a wrapper that another module may replace (in a shared object: an executable, a library that is
 * preloaded) leads at first to who finds out whether the name reaches this definition, which remains so: then
 * it leads to the wrapper's code, and else to who leaves the site and calls by name.
 *
 * A stand-in leads at first to who does that, and has the runtime look then what the call has reached. If
 * that is a wrapper with code for this, it leads there. */
#ifndef ALLOCSITE_PLUGIN_GATE_H
#define ALLOCSITE_PLUGIN_GATE_H

#include <llvm/IR/Function.h>

#include "lift.h"

namespace allocsite {

/* Fills the twin, which calls the code or the wrapper. */
void addGate(llvm::Function &gate, llvm::Function &wrapper, llvm::Function &code, Lifting &lifting);

/* Fills a stand-in, in its group. */
void addWay(llvm::Function &standIn, llvm::Function &wrapper, Lifting &lifting);

/* Writes in front of the wrapper where its code is, for other modules' calls of a twin of this name. */
void tellWay(llvm::Function &wrapper, llvm::Function &code, llvm::StringRef twin);

} // namespace allocsite

#endif
