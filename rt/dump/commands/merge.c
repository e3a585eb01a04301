/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump merge: merges profiles into one. */
#include "dump/base/files.h"
#include "dump/commands/commands.h"
#include "dump/join/join.h"
#include "dump/profile/image.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>

static bool write_image(const struct profile_image *image, const char *path, struct reason *why) {
    struct new_file file;
    if (!new_file_open(&file, path, why))
        return false;
    struct out out = {.fd = file.fd, .data = image->bytes, .used = image->size, .size = image->size};
    return new_file_end(&file, out_flush(&out), why);
}

static bool write_profile(const struct report *report, const char *path, struct reason *why) {
    struct profile_image image;
    bool is_written = profile_merged(&image, report)
                          ? write_image(&image, path, why)
                          : reason_set(why, "has more names or sites than a profile can hold");
    profile_image_free(&image);
    return is_written;
}

static int merge_files(const char *path, char **files, int count) {
    struct joined joined = {.reports = 0};
    struct reason why;
    int status = join_files(&joined, files, count, NULL, NULL);
    if (joined.reports && !write_profile(&joined.report, path, &why)) {
        complain_file(path, "%s", why.text);
        status = STATUS_FAILED;
    }
    joined_free(&joined);
    return status;
}

static const char help[] = "usage: allocsite-dump merge -o OUT PROFILE...\n"
                           "\n"
                           "Writes the report of all files as one profile, which all commands read. OUT may\n"
                           "be one of the files. A file that cannot be read is left out, one that is given\n"
                           "twice is counted once, and in both cases the exit status is 1.\n"
                           "\n"
                           "  -o OUT, --output=OUT    the merged profile\n"
                           "\n"
                           "examples:\n"
                           "  ALLOCSITE_OPTIONS=profile=/tmp/run/%e.%p make test\n"
                           "  allocsite-dump merge -o run.profile /tmp/run/*";

int command_merge(int count, char **arguments) {
    static const struct argument list[] = {{"output", true, take_text, 0}, {0}};
    const char *output = NULL;
    int status = arguments_take(&(struct arguments){"merge", help, list}, &output, count, arguments);
    if (status != ARGUMENTS_TAKEN)
        return status;
    if (!output)
        return complain_usage("merge: no output (-o OUT)");
    if (optind == count)
        return complain_usage("merge: no file");
    /* exceeding a limit on the size of files becomes a write error */
    signal(SIGXFSZ, SIG_IGN);
    return merge_files(output, arguments + optind, count - optind);
}
