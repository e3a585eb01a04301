/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The twin of a wrapper that another module may replace (in a shared object: an executable, a library that is
 * preloaded). The name of the twin is a gate: a jump to where a pointer leads, much as the linkage table's
 * that a call by the wrapper's name takes, so it costs a call one instruction. At first it leads to who finds
 * out whether the name reaches this definition, which remains so: then it leads to the wrapper's code, and
 * else to who leaves the site and calls by name. */
#ifndef ALLOCSITE_PLUGIN_GATE_H
#define ALLOCSITE_PLUGIN_GATE_H

#include <llvm/IR/Function.h>

#include "lift.h"

namespace allocsite {

/* Fills the twin, which calls the code or the wrapper. */
void addGate(llvm::Function &gate, llvm::Function &wrapper, llvm::Function &code, Lifting &lifting);

} // namespace allocsite

#endif
