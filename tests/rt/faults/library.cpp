/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Blocks that libraries allocate and free for themselves and for the program, in ways that a table of blocks could
// mistake for faults. Everything here is correct.
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <glob.h>
#include <grp.h>
#include <iconv.h>
#include <langinfo.h>
#include <locale>
#include <netdb.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <search.h>
#include <spawn.h>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>
#include <wordexp.h>

static void streams() {
    char *line = nullptr, *text = nullptr;
    size_t room = 0, size;
    FILE *file = fopen("/etc/passwd", "r");
    while (getline(&line, &room, file) > 0)
        continue;
    free(line);
    fclose(file);
    file = open_memstream(&text, &size);
    for (int i = 0; i < 1000; i++)
        fprintf(file, "%d %.1000f\n", i, i / 3.0);
    fclose(file);
    free(text);
    if (asprintf(&text, "%s %d", "text", 1) > 0)
        free(text);
    static char buffer[4096];
    file = fmemopen(nullptr, 1000, "w+");
    setvbuf(file, buffer, _IOFBF, sizeof buffer);
    fputs("text", file);
    fclose(file);
    file = popen("echo from a pipe", "r");
    while (fgets(buffer, sizeof buffer, file))
        continue;
    pclose(file);
}

static void directories() {
    struct dirent **entries;
    int count = scandir("/etc", &entries, nullptr, alphasort);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    DIR *directory = opendir("/etc");
    while (readdir(directory))
        continue;
    closedir(directory);
    glob_t found = {};
    glob("/etc/*.conf", 0, nullptr, &found);
    glob("/usr/*", GLOB_APPEND, nullptr, &found);
    globfree(&found);
    wordexp_t words;
    if (wordexp("one $HOME three", &words, 0) == 0)
        wordfree(&words);
    free(realpath("/usr/../etc", nullptr));
    free(getcwd(nullptr, 0));
}

static void databases() {
    if (getpwnam("root"))
        getpwuid(0);
    getgrnam("root");
    setpwent();
    while (getpwent())
        continue;
    endpwent();
    struct addrinfo *addresses = nullptr;
    if (getaddrinfo("127.0.0.1", "80", nullptr, &addresses) == 0)
        freeaddrinfo(addresses);
    if (getaddrinfo("localhost", "http", nullptr, &addresses) == 0)
        freeaddrinfo(addresses);
    getservbyname("http", "tcp");
}

static void texts() {
    regex_t expression;
    regcomp(&expression, "^([a-z]+|[0-9]{2,5})*(foo|bar)$", REG_EXTENDED);
    regmatch_t matches[4];
    regexec(&expression, "abc12foo", 4, matches, 0);
    regfree(&expression);
    setlocale(LC_ALL, "C.UTF-8");
    setlocale(LC_ALL, "");
    locale_t locale = newlocale(LC_ALL_MASK, "C.UTF-8", nullptr);
    freelocale(uselocale(locale) == locale ? nullptr : (uselocale(LC_GLOBAL_LOCALE), locale));
    for (const char *name : {"UTF-16", "ISO-8859-1", "EUC-JP", "NO-SUCH"}) {
        iconv_t converter = iconv_open(name, "UTF-8");
        if (converter != iconv_t(-1))
            iconv_close(converter);
    }
    std::string text(std::locale("C").name());
    setenv("A_VARIABLE", "a value", 1);
    setenv("A_VARIABLE", "a longer value than it was before", 1);
    putenv(strdup("ANOTHER=value"));
    unsetenv("A_VARIABLE");
}

static int compare(const void *a, const void *b) {
    return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}

static void arrays() {
    std::vector<int> values(1000000);
    for (size_t i = 0; i < values.size(); i++)
        values[i] = int(i * 2654435761u % 1000003);
    qsort(values.data(), values.size(), sizeof(int), compare);
    void *root = nullptr;
    for (int i = 0; i < 100; i++)
        tsearch(&values[size_t(i) * 1000], &root, compare);
    tdestroy(root, [](void *) {});
    hcreate(100);
    hsearch({strdup("key"), nullptr}, ENTER);
    hdestroy();
}

struct Late {
    std::string text = "freed by a destructor at the end of the thread";
    void *block = malloc(100);
    ~Late() { free(block); }
};

static thread_local Late late;
static pthread_key_t key;

static void *ends_by_exit(void *) {
    late.text += ", which comes late";
    pthread_setspecific(key, malloc(100));
    std::string unwound = "freed when the stack of the thread is unwound";
    dlerror();
    dlsym(RTLD_DEFAULT, "no_such_symbol"); // an error text per thread
    pthread_exit(nullptr);
}

static void *ends_by_cancellation(void *) {
    late.text += ", which comes late";
    std::string unwound = "freed when the stack of the thread is unwound";
    for (;;)
        sleep(1);
}

static void threads() {
    pthread_key_create(&key, free);
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        pthread_create(&thread, nullptr, i % 2 ? ends_by_exit : ends_by_cancellation, nullptr);
        if (i % 2 == 0)
            pthread_cancel(thread);
        pthread_join(thread, nullptr);
    }
}

static void libraries() {
    for (int i = 0; i < 3; i++) {
        void *opened = dlopen("libm.so.6", RTLD_NOW);
        dlclose(opened);
        opened = dlopen("libresolv.so.2", RTLD_NOW);
        dlclose(opened);
        dlopen("/no/such/library.so", RTLD_NOW);
        dlerror();
    }
}

static void processes() {
    pid_t child;
    char name[] = "true", *arguments[] = {name, nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addclose(&actions, 17);
    if (posix_spawnp(&child, "/bin/true", &actions, nullptr, arguments, environ) == 0)
        waitpid(child, nullptr, 0);
    posix_spawn_file_actions_destroy(&actions);
    if (system("exit 0"))
        abort();
}

static void *kept;

int main() {
    kept = malloc(100);
    atexit([] { free(kept); });
    static std::string at_the_end = "freed by the destructor of a static variable";
    on_exit([](int, void *block) { free(block); }, malloc(100));
    streams();
    directories();
    databases();
    arrays();
    threads();
    libraries();
    processes();
    texts();
    puts("done");
    return 3;
}
