/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/settings.h"

#include "base/host.h"

#include <llvm/Support/CommandLine.h>

using namespace llvm;

namespace allocsite {

static Options values;

const Options &options() {
    return values;
}

/* Options are not static objects: static constructors would run before the host's version is checked, and
 * another major has another layout of cl::opt. An option may occur several times, as build systems
 * concatenate flags; the last one counts. */
__attribute__((constructor)) static void registerOptions() {
    if (host_differs(LLVM_VERSION_MAJOR))
        return;
    static cl::opt<bool, true> contexts("allocsite-contexts", cl::location(values.contexts), cl::ZeroOrMore,
                                        cl::init(true), cl::desc("Keep calling contexts; 0: sites only"));
    static cl::opt<bool, true> types("allocsite-types", cl::location(values.types), cl::ZeroOrMore,
                                     cl::init(true), cl::desc("Record the allocated types"));
    static cl::opt<bool, true> shared("allocsite-shared", cl::location(values.shared), cl::ZeroOrMore,
                                      cl::desc("Code without -fPIC becomes part of a shared object"));
    static cl::list<std::string, std::vector<std::string>> lists(
        "allocsite-list", cl::location(values.lists), cl::value_desc("FILE"),
        cl::desc("Descriptions of the program's own allocators"));
    static cl::list<std::string, std::vector<std::string>> libraries(
        "allocsite-library", cl::location(values.libraries), cl::value_desc("GLOB"),
        cl::desc("Files and functions to treat as library code; none: not system headers"));
}

} // namespace allocsite
