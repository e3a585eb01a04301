/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is mapped into a process: /proc/PID/maps (proc_pid_maps(5)). */
#include "process_maps.h"
#include "process.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool process_maps_open(struct process_maps *maps, unsigned pid, struct reason *why) {
    char name[32];
    snprintf(name, sizeof name, "/proc/%u/maps", pid);
    *maps = (struct process_maps){.file = fopen(name, "re")};
    if (maps->file)
        return true;
    return errno == ENOENT ? reason_set(why, "there is no such process") : process_refuses(pid, why);
}

/* The kernel writes a newline in a path as \012. */
static void restore_path(char *path) {
    char *to = path;
    for (const char *from = path; *from && *from != '\n'; to++) {
        bool is_newline = strncmp(from, "\\012", 4) == 0;
        *to = is_newline ? '\n' : *from;
        from += is_newline ? 4 : 1;
    }
    *to = '\0';
}

/* "7f00-7f80 rw-s 00000000 08:01 1234   /path". */
static bool read_mapping(char *line, struct process_mapping *mapping) {
    int path = 0;
    if (sscanf(line, "%" SCNx64 "-%*x %4s %" SCNx64 " %*x:%*x %" SCNu64 " %n", &mapping->start,
               mapping->flags, &mapping->offset, &mapping->inode, &path) != 4 ||
        !path)
        return false;
    restore_path(line + path);
    mapping->path = line + path;
    return true;
}

bool process_maps_next(struct process_maps *maps, struct process_mapping *mapping) {
    while (getline(&maps->line, &maps->size, maps->file) > 0)
        if (read_mapping(maps->line, mapping))
            return true;
    return false;
}

void process_maps_close(struct process_maps *maps) {
    fclose(maps->file);
    free(maps->line);
}
