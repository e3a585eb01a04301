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

/* Not as static objects: those would be made before the host's version is known, and another major's layout
 * differs. Each may be given again, as by one line of flags that follows another, and the last one holds. */
__attribute__((constructor)) static void registerOptions() {
    if (host_differs(LLVM_VERSION_MAJOR))
        return;
    static cl::opt<bool, true> contexts("allocsite-contexts", cl::location(values.contexts), cl::ZeroOrMore,
                                        cl::init(true), cl::desc("Keep calling contexts; 0: sites only"));
    static cl::opt<bool, true> types("allocsite-types", cl::location(values.types), cl::ZeroOrMore,
                                     cl::init(true), cl::desc("Find the types that are allocated"));
    static cl::list<std::string, std::vector<std::string>> lists(
        "allocsite-list", cl::location(values.lists), cl::value_desc("FILE"),
        cl::desc("List of the program's own allocators"));
    static cl::list<std::string, std::vector<std::string>> libraries(
        "allocsite-library", cl::location(values.libraries), cl::value_desc("GLOB"),
        cl::desc("Code in these files or of these names is a library's; none: system headers are not"));
}

} // namespace allocsite
