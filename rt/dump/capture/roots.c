/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where a process starts when it follows pointers. A block that lies in a root is none of its parts: it
 * counts if it is reached. */
#include "dump/capture/capture.h"

#include "dump/base/memory.h"
#include "dump/base/names.h"
#include "dump/base/terminal.h"
#include "dump/elf/elf_file.h"
#include "dump/elf/module_files.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { DESCRIPTOR_ROOM = 4096 };

struct span {
    uint64_t begin, end;
};

/* What is being looked through. */
struct root_source {
    enum graph_root_kind kind;
    uint32_t thread;
    bool heads;
};

void capture_root_add(struct graph *graph, const struct graph_root *root) {
    memory_grow(&graph->roots, graph->root_count, &graph->root_room, sizeof *graph->roots);
    graph->roots[graph->root_count++] = *root;
}

static void see_word(const struct capture_roots *roots, const struct root_source *place, uint64_t word,
                     uint64_t address) {
    size_t to = finder_find(roots->finder, word, place->heads);
    if (to == FINDER_NONE)
        return;
    capture_root_add(
        roots->graph,
        &(struct graph_root){.to = (uint32_t)to,
                             .label = GRAPH_NONE,
                             .offset = place->kind == GRAPH_DATA || place->kind == GRAPH_STACK ? address : 0,
                             .thread = place->thread,
                             .kind = place->kind});
}

/* The words that are there of a stretch of memory. */
static void see_words(const struct capture_roots *roots, const struct root_source *place, struct span span) {
    const struct image *image = roots->finder->image;
    span.begin = (span.begin + 7) & -UINT64_C(8);
    for (size_t i = image_behind(image, span.begin); i < image->count && image->runs[i].address < span.end;
         i++) {
        const struct image_run *run = &image->runs[i];
        uint64_t at = run->address > span.begin ? run->address : span.begin;
        uint64_t end = run->address + run->size < span.end ? run->address + run->size : span.end;
        for (; at + 8 <= end; at += 8) {
            uint64_t word;
            memcpy(&word, run->bytes + (at - run->address), sizeof word);
            see_word(roots, place, word, at);
        }
    }
}

/* Blocks are left out. */
static void see_root(const struct capture_roots *roots, const struct root_source *place, struct span span) {
    const struct finder *finder = roots->finder;
    size_t i = finder_before(finder, span.begin);
    for (i = i == FINDER_NONE ? 0 : i; i < finder->count && finder->blocks[i].start < span.end; i++) {
        const struct heap_block *block = &finder->blocks[i];
        if (block->start + block->size <= span.begin)
            continue;
        see_words(roots, place, (struct span){span.begin, block->start});
        span.begin = block->start + block->size;
    }
    see_words(roots, place, span);
}

/* The runtime's thread-local memory is left out. */
static void see_around_own(const struct capture_roots *roots, const struct root_source *place,
                           struct span span, uint64_t tp) {
    struct span own = {tp + (uint64_t)roots->heap->local, tp + (uint64_t)roots->heap->local};
    own.end += roots->heap->layout.local_size;
    if (own.begin >= span.end || own.end <= span.begin) {
        see_root(roots, place, span);
        return;
    }
    see_root(roots, place, (struct span){span.begin, own.begin});
    see_root(roots, place, (struct span){own.end, span.end});
}

static struct span map_at(const struct capture_maps *maps, uint64_t address) {
    for (size_t i = 0; i < maps->count; i++)
        if (maps->list[i].begin <= address && address < maps->list[i].end)
            return (struct span){maps->list[i].begin, maps->list[i].end};
    return (struct span){address, address};
}

static struct span stack_of_first(const struct capture_maps *maps) {
    for (size_t i = 0; i < maps->count; i++)
        if (maps->list[i].is_stack)
            return (struct span){maps->list[i].begin, maps->list[i].end};
    return (struct span){0, 0};
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Thread-local memory lies below the thread pointer, the C library's descriptor of the thread above. Below
 * that of the first thread there may be more, and of any other is its stack. */
static struct span thread_memory(const struct capture_maps *maps, uint64_t tp, bool is_first) {
    struct span map = map_at(maps, tp);
    uint64_t below = maps->thread_local + (is_first ? DESCRIPTOR_ROOM : 0);
    return (struct span){most(map.begin, tp - least(tp, below)), least(map.end, tp + DESCRIPTOR_ROOM)};
}

/* The first thread's stack ends with its mapping, any other's with its thread-local memory. A thread that is
 * on another stack, for signals or a coroutine's, may come back to any part of its own. */
static void see_thread(const struct capture_roots *roots, const struct stopped_thread *thread) {
    const struct capture_maps *maps = roots->maps;
    uint32_t id = (uint32_t)thread->id;
    struct root_source stack = {.kind = GRAPH_STACK, .thread = id},
                       locals = {.kind = GRAPH_THREAD, .thread = id};
    struct root_source registers = {.kind = GRAPH_REGISTER, .thread = id};
    bool is_first = id == roots->stop->pid;
    struct span memory = thread_memory(maps, thread->tp, is_first), current = map_at(maps, thread->sp);
    uint64_t sp = most(thread->sp - (thread->is_caller ? 0 : RED_ZONE), current.begin);
    if (memory.begin < sp && sp < memory.end)
        memory.begin = sp;
    struct span own =
        is_first ? stack_of_first(maps) : (struct span){map_at(maps, thread->tp).begin, memory.begin};
    for (size_t i = 0; i < thread->register_count; i++)
        see_word(roots, &registers, thread->registers[i], 0);
    see_word(roots, &registers, thread->tp, 0);
    see_around_own(roots, &locals, memory, thread->tp);
    if (own.begin <= sp && sp <= own.end) {
        see_around_own(roots, &stack, (struct span){sp, own.end}, thread->tp);
        return;
    }
    see_root(roots, &stack, (struct span){sp, current.end});
    see_around_own(roots, &stack, own, thread->tp);
}

void capture_roots_find(const struct capture_roots *roots) {
    for (size_t i = 0; i < roots->maps->data_count; i++) {
        const struct capture_data *data = &roots->maps->data[i];
        struct root_source place = {.kind = GRAPH_DATA, .heads = data->heads};
        see_root(roots, &place, (struct span){data->begin, data->end});
    }
    for (size_t i = 0; i < roots->stop->count; i++)
        see_thread(roots, &roots->stop->threads[i]);
}

/* ---- The variables of modules. */

struct variable {
    uint64_t address, size;
    const char *name;
};

struct variables {
    struct variable *list;
    size_t count, room;
};

static void add(struct variables *variables, const struct elf_section *strings, const Elf64_Sym *symbol) {
    const char *name = elf_string(strings, symbol->st_name);
    if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || symbol->st_shndx == SHN_UNDEF || !*name)
        return;
    memory_grow(&variables->list, variables->count, &variables->room, sizeof *variables->list);
    variables->list[variables->count++] = (struct variable){symbol->st_value, symbol->st_size, name};
}

static void read_table(struct variables *variables, const struct elf_file *elf, const char *table_name) {
    const struct elf_section *table = elf_section_named(elf, table_name);
    Elf64_Sym symbol;
    if (!table || table->link >= elf->count)
        return;
    for (uint64_t i = 0; elf_entry(table, i, &symbol, sizeof symbol); i++)
        add(variables, &elf->sections[table->link], &symbol);
}

static const struct variable *find(const struct variables *variables, uint64_t address) {
    const struct variable *found = NULL;
    for (size_t i = 0; i < variables->count; i++) {
        const struct variable *variable = &variables->list[i];
        if (address - variable->address < variable->size && (!found || variable->size < found->size))
            found = variable;
    }
    return found;
}

static void name_root(struct graph_root *root, const struct variables *variables, uint64_t base,
                      struct string_pool *texts) {
    const struct variable *variable = find(variables, root->offset - base);
    if (!variable)
        return;
    char *plain = demangle(variable->name);
    root->label = (uint32_t)string_number(texts, plain ?: variable->name);
    root->offset -= base + variable->address;
    free(plain);
}

static void name_roots(struct graph *graph, const struct capture_data *data,
                       const struct variables *variables, struct string_pool *texts) {
    for (size_t i = 0; i < graph->root_count; i++) {
        struct graph_root *root = &graph->roots[i];
        if (root->kind == GRAPH_DATA && root->label == GRAPH_NONE && data->begin <= root->offset &&
            root->offset < data->end)
            name_root(root, variables, data->base, texts);
    }
}

void capture_variables(struct graph *graph, const struct capture_maps *maps, struct string_pool *texts) {
    for (size_t i = 0; i < maps->data_count; i++) {
        struct variables variables = {.count = 0};
        static const struct module_search local = {.stays_local = true};
        struct module_files files;
        struct reason why;
        module_files_open(&files, maps->data[i].path, NULL, &local);
        const struct elf_file *elf = module_files_with(&files, ".symtab");
        if (elf)
            read_table(&variables, elf, ".symtab");
        else if ((elf = module_files_with(&files, ".dynsym")))
            read_table(&variables, elf, ".dynsym");
        name_roots(graph, &maps->data[i], &variables, texts);
        free(variables.list);
        if (!module_files_close(&files, &why))
            complain(maps->data[i].path, "%s", why.text);
    }
}
