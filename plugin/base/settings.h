/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The plugin's own options: -mllvm -allocsite-NAME=VALUE. clang knows them if it has also loaded the plugin
 * by -fplugin=, opt if by -load. */
#ifndef ALLOCSITE_BASE_SETTINGS_H
#define ALLOCSITE_BASE_SETTINGS_H

#include <string>
#include <vector>

namespace allocsite {

struct Options {
    bool contexts = true;               // functions keep their calling contexts
    bool types = true;                  // find out what is allocated
    std::vector<std::string> lists;     // of the program's own allocators
    std::vector<std::string> libraries; // paths and names of code that is none of the program's own
};

const Options &options();

} // namespace allocsite

#endif
