/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lifted.h"

__thread struct allocsite_site *lifted;
