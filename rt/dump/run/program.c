/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a command is, as far as a library can be preloaded into it. */
#include "dump/run/program.h"

#include "dump/base/memory.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* The kernel goes on to no more interpreters than that. */
enum { INTERPRETERS = 5, HEAD = 256 };

/* NULL: it is in no folder of PATH. */
static char *find(const char *command) {
    if (strchr(command, '/'))
        return memory_text("%s", command);
    const char *at = getenv("PATH");
    for (size_t length; at; at = at[length] ? at + length + 1 : NULL) {
        length = strcspn(at, ":");
        char *path = memory_text("%.*s%s%s", (int)length, at, length ? "/" : "", command);
        if (access(path, X_OK) == 0)
            return path;
        free(path);
    }
    return NULL;
}

/* Without one, nothing loads libraries. */
static bool has_loader(int fd, const Elf64_Ehdr *header) {
    Elf64_Phdr segment;
    for (unsigned i = 0; i < header->e_phnum; i++)
        if (pread(fd, &segment, sizeof segment, (off_t)(header->e_phoff + i * sizeof segment)) ==
                (ssize_t)sizeof segment &&
            segment.p_type == PT_INTERP)
            return true;
    return false;
}

/* The kernel tells programs that have more rights than who starts them, and the loader then preloads nothing.
 */
static bool gains_rights(int fd) {
    struct stat status;
    if (fstat(fd, &status) != 0)
        return false;
    return (status.st_mode & S_ISUID && status.st_uid != getuid()) ||
           (status.st_mode & S_ISGID && status.st_gid != getgid()) ||
           (getuid() && fgetxattr(fd, "security.capability", NULL, 0) > 0);
}

static bool elf_refuses(int fd, const char *path, const Elf64_Ehdr *header, struct reason *why) {
    bool is_other = header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_X86_64;
    const char *what = is_other ? "is not of x86-64" : NULL;
    if (!what && !has_loader(fd, header))
        what = "is linked statically: build it with allocsite-clang -static";
    if (!what && gains_rights(fd))
        what = "gets more rights than its caller has, and so nothing preloaded";
    if (what)
        reason_set(why, "%s %s", path, what);
    return what;
}

/* Keeps the name of the interpreter of a script. False: it has none. */
static bool take_interpreter(char **path, const char head[HEAD]) {
    const char *name = head + 2 + strspn(head + 2, " \t");
    size_t length = strcspn(name, " \t\n");
    if (strncmp(head, "#!", 2) != 0 || !length)
        return false;
    char *interpreter = memory_text("%.*s", (int)length, name);
    free(*path);
    *path = interpreter;
    return true;
}

bool program_refuses(const char *command, struct reason *why) {
    char *path = find(command);
    bool refuses = false, goes_on = path;
    for (int i = 0; goes_on && i < INTERPRETERS; i++) {
        union {
            Elf64_Ehdr elf;
            char text[HEAD];
        } head = {.text = ""};
        int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        goes_on = fd >= 0 && read(fd, head.text, HEAD - 1) > 0;
        if (goes_on && memcmp(head.text, ELFMAG, SELFMAG) == 0)
            refuses = elf_refuses(fd, path, &head.elf, why);
        goes_on = goes_on && take_interpreter(&path, head.text);
        if (fd >= 0)
            close(fd);
    }
    free(path);
    return refuses;
}
