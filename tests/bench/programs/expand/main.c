/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "expand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const lines[] = {
    "fruit = apple banana cherry date elderberry fig grape",
    "loud = $(upper $(fruit))",
    "pairs = $(each item,$(fruit),$(item)/$(reverse $(item)))",
    "sorted = $(sort $(pairs) $(loud) $(fruit))",
    "page = $(join +,$(sorted)) $(subst an,<$(count $(sorted))>,$(pairs)) $(unknown)",
};

int main(int argc, char **argv) {
    if (argc != 2)
        return 2;
    struct names names = {0};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        define(&names, lines[i]);
    size_t total = 0;
    for (int rounds = atoi(argv[1]); rounds > 0; rounds--) {
        char *page = expand(&names, "$(page)", strlen("$(page)"));
        total += strlen(page);
        free(page);
    }
    names_end(&names);
    printf("%zu\n", total);
}
