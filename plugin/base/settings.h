/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The plugin's options: -mllvm -allocsite-NAME=VALUE. clang accepts them if it has loaded the plugin with
 * -fplugin=, opt if with -load. */
#ifndef ALLOCSITE_BASE_SETTINGS_H
#define ALLOCSITE_BASE_SETTINGS_H

#include <string>
#include <vector>

namespace allocsite {

struct Options {
    bool contexts = true;               // keep calling contexts at run time
    bool types = true;                  // find the allocated types
    bool shared = false;                // code without -fPIC may become part of a shared object
    std::vector<std::string> lists;     // files of allocsite-list(5)
    std::vector<std::string> libraries; // globs of paths and functions of library code
};

const Options &options();

} // namespace allocsite

#endif
