/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lifting across the files of a module. The file that defines a wrapper has its code under another name
 * as well, with the site as one more parameter: its twin. A file that calls it brings a stand-in of that
 * name, which leaves the site for the wrapper itself. The linker prefers the twin, and takes the stand-in
 * where there is none: the wrapper stands in another module, was not compiled with the plugin, or may be
 * replaced. */
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

/* When all is lifted. */
void addStandIns(Lifting &lifting);

} // namespace allocsite

#endif
