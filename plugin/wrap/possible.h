/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions of other files that could be wrappers, by what their declarations say. Only the linker knows: a
 * call of one goes to its twin (lift/twin.h), which costs a jump where there is none. */
#ifndef ALLOCSITE_WRAP_POSSIBLE_H
#define ALLOCSITE_WRAP_POSSIBLE_H

#include "wrap/bodies.h"

#include <optional>

namespace allocsite {

/* Nothing: it is none, or its body is here. */
std::optional<FoundWrapper> possibleWrapper(const llvm::Function &function);

} // namespace allocsite

#endif
