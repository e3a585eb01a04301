/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Accesses the memory of another process. */
#include "dump/process/memory.h"

#include "base/arrays.h"
#include "base/elf_note.h"
#include "dump/base/memory.h"
#include "dump/process/process.h"
#include "format.h"
#include "profile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A system call costs as much as copying this many bytes. */
enum { CALL = 256 };

void remote_memory_open(struct remote_memory *memory, unsigned pid) {
    *memory = (struct remote_memory){.pid = pid, .fd = -1, .budget = outside_budget(process_memory(pid))};
    memory->left = memory->budget;
}

static bool remote_spend(struct remote_memory *memory, uint64_t size) {
    bool is_left = size <= memory->left;
    memory->left = is_left ? memory->left - size : 0;
    return is_left;
}

void remote_memory_close(struct remote_memory *memory) {
    if (memory->fd >= 0)
        close(memory->fd);
}

/* Containers may forbid the system call to programs that may read the file. False: errno is the call's. */
static bool use_file(struct remote_memory *memory) {
    int error = errno;
    char path[32];
    snprintf(path, sizeof path, "/proc/%u/mem", memory->pid);
    if (error == EPERM || error == ENOSYS)
        memory->fd = open(path, O_RDONLY | O_CLOEXEC);
    errno = error;
    return memory->fd >= 0;
}

static ssize_t read_some(struct remote_memory *memory, uint64_t address, void *to, size_t size) {
    struct iovec local = {to, size}, remote = {(void *)(uintptr_t)address, size};
    if (memory->fd < 0) {
        ssize_t count = process_vm_readv((pid_t)memory->pid, &local, 1, &remote, 1, 0);
        if (count >= 0 || !use_file(memory))
            return count;
    }
    if (address > INT64_MAX) {
        errno = EFAULT;
        return -1;
    }
    return pread(memory->fd, to, size, (off_t)address);
}

bool remote_read(struct remote_memory *memory, uint64_t address, void *to, size_t size) {
    if (!remote_spend(memory, CALL)) {
        errno = EOVERFLOW;
        return false;
    }
    while (size) {
        ssize_t count = read_some(memory, address, to, size);
        if (count == 0)
            errno = EFAULT;
        if (count <= 0)
            return false;
        to = (char *)to + count;
        address += (uint64_t)count;
        size -= (size_t)count;
    }
    return true;
}

static bool read_at_once(struct remote_memory *memory, const struct iovec *local, const struct iovec *remote,
                         size_t count) {
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += local[i].iov_len;
    return memory->fd < 0 &&
           process_vm_readv((pid_t)memory->pid, local, count, remote, count, 0) == (ssize_t)size;
}

bool remote_read_all(struct remote_memory *memory, const struct iovec *local, const struct iovec *remote,
                     size_t count) {
    for (size_t from = 0, part; from < count; from += part) {
        part = count - from < IOV_MAX ? count - from : IOV_MAX;
        if (read_at_once(memory, local + from, remote + from, part))
            continue;
        for (size_t i = from; i < from + part; i++)
            if (!remote_read(memory, (uintptr_t)remote[i].iov_base, local[i].iov_base, local[i].iov_len))
                return false;
    }
    return true;
}

/* Containers may forbid this system call, too. */
static bool write_to_file(const struct remote_memory *memory, uint64_t address, const void *from,
                          size_t size) {
    int error = errno;
    char path[32];
    snprintf(path, sizeof path, "/proc/%u/mem", memory->pid);
    int fd = error == EPERM || error == ENOSYS ? open(path, O_WRONLY | O_CLOEXEC) : -1;
    bool is_written =
        fd >= 0 && address <= INT64_MAX && pwrite(fd, from, size, (off_t)address) == (ssize_t)size;
    if (fd >= 0)
        close(fd);
    errno = error;
    return is_written;
}

bool remote_write(struct remote_memory *memory, uint64_t address, const void *from, size_t size) {
    struct iovec local = {(void *)(uintptr_t)from, size}, remote = {(void *)(uintptr_t)address, size};
    return process_vm_writev((pid_t)memory->pid, &local, 1, &remote, 1, 0) == (ssize_t)size ||
           write_to_file(memory, address, from, size);
}

/* ---- The runtime in another process, found by its ELF note. */

/* Far above the values of real modules. */
enum { SEGMENTS_MAX = 128, NOTES_SIZE_MAX = 1 << 16 };

struct search {
    struct remote_root *found;
    struct remote_memory *memory;
    uint64_t notes; /* address of the notes being examined */
    const char *bytes;
    uint32_t areas; /* of the best runtime so far */
    unsigned runtimes;
    bool has_other_version;
    int error; /* of the first unreadable module */
};

/* If the process contains several runtimes, keeps the one that counts most. */
static void take_root(struct search *search, uint64_t address) {
    struct remote_root root = {.address = address};
    if (!remote_read(search->memory, address, &root.root, sizeof root.root))
        return;
    if (root.root.version != ROOT_VERSION) {
        search->has_other_version = true;
        return;
    }
    uint32_t areas = remote_u32(search->memory, root.root.areas);
    if (!search->runtimes++ || areas > search->areas) {
        *search->found = root;
        search->areas = areas;
    }
}

/* Always continues with the next note. */
static bool look_at_note(void *context, const struct elf_note *note) {
    struct search *search = context;
    int64_t distance;
    if (note->type != ROOT_NOTE || note->name_size != sizeof ROOT_NOTE_NAME ||
        memcmp(note->name, ROOT_NOTE_NAME, sizeof ROOT_NOTE_NAME) != 0 || note->size != sizeof distance)
        return false;
    memcpy(&distance, note->data, sizeof distance);
    take_root(search, search->notes + (uint64_t)(note->data - search->bytes) + (uint64_t)distance);
    return false;
}

static void look_at_segment(struct search *search, uint64_t address, const Elf64_Phdr *segment) {
    _Alignas(8) char bytes[NOTES_SIZE_MAX];
    size_t size = segment->p_filesz < sizeof bytes ? segment->p_filesz : sizeof bytes;
    search->notes = address;
    search->bytes = bytes;
    if (remote_spend(search->memory, size) && remote_read(search->memory, address, bytes, size))
        elf_notes_find(bytes, size, segment->p_align, look_at_note, search);
}

static bool is_module(const Elf64_Ehdr *header) {
    return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_ident[EI_CLASS] == ELFCLASS64 &&
           header->e_ident[EI_DATA] == ELFDATA2LSB && header->e_phentsize == sizeof(Elf64_Phdr) &&
           header->e_phnum <= SEGMENTS_MAX;
}

/* The load bias. */
static uint64_t base_of(uint64_t start, const Elf64_Phdr *segments, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (segments[i].p_type == PT_LOAD)
            return start - (segments[i].p_vaddr - segments[i].p_offset);
    return start;
}

static void look_at_module(struct search *search, uint64_t start) {
    Elf64_Ehdr header;
    Elf64_Phdr segments[SEGMENTS_MAX];
    if (!remote_read(search->memory, start, &header, sizeof header)) {
        search->error = search->error ?: errno;
        return;
    }
    if (!is_module(&header) ||
        !remote_read(search->memory, start + header.e_phoff, segments, header.e_phnum * sizeof *segments))
        return;
    uint64_t base = base_of(start, segments, header.e_phnum);
    for (unsigned i = 0; i < header.e_phnum; i++)
        if (segments[i].p_type == PT_NOTE)
            look_at_segment(search, base + segments[i].p_vaddr, &segments[i]);
}

/* A module starts with a private mapping of the beginning of its file. */
static unsigned look_at_all(struct search *search, struct process_maps *maps) {
    unsigned programs = 0;
    uint64_t last = 0; /* inode of the file whose code was counted last */
    for (struct process_mapping mapping; process_maps_next(maps, &mapping);) {
        bool is_file = mapping.inode && mapping.flags[3] == 'p';
        if (is_file && mapping.offset == 0 && mapping.flags[0] == 'r')
            look_at_module(search, mapping.start);
        if (is_file && mapping.flags[2] == 'x' && mapping.inode != last) {
            last = mapping.inode;
            programs++;
        }
    }
    return programs;
}

static bool say_nothing_found(const struct search *search, unsigned programs, struct reason *why) {
    if (search->error == EPERM || search->error == EACCES || search->error == ENOSYS)
        return process_refuses(search->memory->pid, why);
    if (!programs)
        return reason_set(why, "has ended, or is a kernel thread");
    if (search->has_other_version)
        return reason_set(why, "runs with an allocsite of another version");
    return reason_set(why, "runs without the runtime of allocsite: start it with allocsite-run");
}

bool remote_root_find(struct remote_root *root, struct remote_memory *memory, struct reason *why) {
    struct search search = {.found = root, .memory = memory};
    struct process_maps maps;
    if (!process_maps_open(&maps, memory->pid, why))
        return false;
    unsigned programs = look_at_all(&search, &maps);
    process_maps_close(&maps);
    if (!search.runtimes)
        return say_nothing_found(&search, programs, why);
    return true;
}

uint32_t remote_u32(struct remote_memory *memory, const void *remote) {
    uint32_t number;
    return remote_read(memory, (uintptr_t)remote, &number, sizeof number) ? number : 0;
}
