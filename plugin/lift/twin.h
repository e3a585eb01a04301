/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lifting across the files of a module. The file that defines a wrapper has its code under another name
 * as well, with the site as one more parameter: its twin. A file that calls it brings a stand-in of that
 * name, for when no twin is linked: the wrapper stands in another module, was not compiled with the plugin,
 * or may be replaced. Of what surely is a wrapper it leaves the site for the wrapper itself; of what only
 * could be one by its declaration (wrap/possible.cpp) if that has the mark of who takes one, and else it is a
 * jump.
 *
 * Where a call cannot go to a twin (nothing is optimized, variable arguments) the site is left by that mark,
 * too. */
#ifndef ALLOCSITE_LIFT_TWIN_H
#define ALLOCSITE_LIFT_TWIN_H

#include "find/find.h"
#include "lift/lift.h"

#include <string>

namespace allocsite {

/* The name of the twin of what is defined here; empty: it has none. */
std::string twinOf(const llvm::Function &wrapper);

/* Calls the twin instead, if there may be one. The site is never null when the program runs: a twin does not
 * ask. */
bool callTwin(const AllocatorCall &found, llvm::Value *site, Lifting &lifting);

/* Whether there is a way for the site of a call. None: its callee could be a wrapper, but nothing may come
 * between the call and the function that makes it. */
bool mayReach(const AllocatorCall &found);

/* For a call that does not go to a twin: null where the callee, which could be a wrapper, is none. */
llvm::Value *siteIfWrapper(const AllocatorCall &found, llvm::Value *site);

/* The twin of a wrapper whose code is in a body of its own, with the site as its last parameter. */
void addTwin(const std::string &name, llvm::Function &wrapper, llvm::Function &body);

/* When all is lifted: for wrappers that have no twin yet one that leaves the site, and marks. */
void addTwins(llvm::Module &module, Lifting &lifting);
void addStandIns(Lifting &lifting);

} // namespace allocsite

#endif
