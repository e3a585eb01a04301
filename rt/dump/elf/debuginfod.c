/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fetches debug information from debuginfod servers.
 *
 * The library is loaded on first use, as libdw does. It depends on an HTTP client and cryptography, and the
 * exit report of a program must not wait for loading those. */
#include "dump/elf/unpack.h"

#include "dump/base/terminal.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "libdebuginfod.so.1"

typedef struct debuginfod_client *begin_function(void);
typedef int find_function(struct debuginfod_client *, const unsigned char *build_id, int size, char **path);
typedef void end_function(struct debuginfod_client *);
typedef int progress_function(struct debuginfod_client *, long done, long all);
typedef void set_progress_function(struct debuginfod_client *, progress_function *);

static struct {
    begin_function *begin;
    find_function *find;
    end_function *end;
    set_progress_function *set_progress;
} library;

/* Called repeatedly during a download. A result other than 0 would cancel it. */
static int show_progress(struct debuginfod_client *client, long done, long all) {
    (void)client;
    if (all > 0)
        progress_show("bytes from debuginfod", (uint64_t)done, (uint64_t)all);
    return 0;
}

static bool load_library(void) {
    static bool was_tried;
    void *handle = was_tried ? NULL : dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    was_tried = true;
    if (handle) {
        library.begin = (begin_function *)dlsym(handle, "debuginfod_begin");
        library.find = (find_function *)dlsym(handle, "debuginfod_find_debuginfo");
        library.end = (end_function *)dlsym(handle, "debuginfod_end");
        library.set_progress = (set_progress_function *)dlsym(handle, "debuginfod_set_progressfn");
    }
    return library.begin && library.find && library.end && library.set_progress;
}

static bool is_build_id(const char *text) {
    return strlen(text) >= 8 && strspn(text, "0123456789abcdef") == strlen(text);
}

static bool is_given_up;

/* A server that does not answer costs the library's timeout, 90 seconds by default, for each module. */
static void complain_once(int error) {
    static bool is_said;
    is_given_up = error == ETIME || error == ETIMEDOUT;
    if (!is_said)
        complain_file("DEBUGINFOD_URLS", "%s%s", strerror(error),
                      is_given_up ? "; asks for no further module" : "");
    is_said = true;
}

char *debuginfod_fetch(const char *build_id) {
    const char *urls = getenv("DEBUGINFOD_URLS");
    char *path = NULL;
    if (is_given_up || !urls || !*urls || !build_id || !is_build_id(build_id) || !load_library())
        return NULL;
    struct debuginfod_client *client = library.begin();
    if (!client)
        return NULL;
    library.set_progress(client, show_progress);
    int fd = library.find(client, (const unsigned char *)build_id, 0, &path);
    library.end(client);
    if (fd >= 0)
        close(fd);
    else if (fd != -ENOENT)
        complain_once(-fd);
    return fd >= 0 ? path : NULL;
}
