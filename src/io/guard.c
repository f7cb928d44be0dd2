// io/guard.c - see guard.h.
#include "io/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "io/h5.h"

// What a child hands back. One write: less than a pipe takes at once.
typedef struct answer {
    td_status status;
    td_error err;
} answer;

// What the C library says of a corrupt heap, or a core file, is of no use to anybody here.
static void be_silent(void) {
    const struct rlimit none = {0, 0};
    int null = open("/dev/null", O_WRONLY);
    if (null >= 0) dup2(null, STDERR_FILENO);
    setrlimit(RLIMIT_CORE, &none);
}

// Whoever catches crashes in this program must not do so in the child.
static void let_crash(void) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU};
    for (int i = 0; i < 6; i++) signal(signals[i], SIG_DFL);
}

// Slower than any disk that results are on: 5 MB in a second of processor time.
static void limit_time(double bytes) {
    const rlim_t seconds = (rlim_t)(3.0 + bytes / 5e6);
    const struct rlimit most = {seconds, seconds};
    setrlimit(RLIMIT_CPU, &most);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SHADOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define HAS_SHADOW 1
#endif
#endif

// What there is already, the file's own numbers a few times, and some. Not under a sanitizer, which
// maps what it likes.
static void limit_memory(double bytes) {
#ifndef HAS_SHADOW
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return;
    if (fscanf(file, "%lu", &pages) == 1) {
        const double now = (double)pages * (double)sysconf(_SC_PAGESIZE);
        const rlim_t most = (rlim_t)(now + 4.0 * bytes + 268435456.0);
        setrlimit(RLIMIT_AS, &(struct rlimit){most, most});
    }
    fclose(file);
#else
    (void)bytes;
#endif
}

static void look_as_child(guarded *look, void *data, double bytes, int to) {
    answer a = {.status = TD_OK};
    be_silent();
    let_crash();
    limit_time(bytes);
    limit_memory(bytes);
    a.status = look(data, &a.err);
    if (h5_starved()) _exit(1);  // whoever looks next has no limit, and would be given gigabytes
    ssize_t sent = write(to, &a, sizeof a);
    _exit(sent == sizeof a ? 0 : 1);
}

static td_status answer_of(pid_t child, int from, const char *path, td_error *err) {
    answer a;
    ssize_t got;
    int status = 1;
    while ((got = read(from, &a, sizeof a)) < 0 && errno == EINTR) continue;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    if (got != sizeof a || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return error_set(err, TD_ERR_FILE, path, "the file is damaged: HDF5 cannot read it");
    if (err) *err = a.err;
    return a.status;
}

td_status guard_look(guarded *look, void *data, const char *path, td_error *err) {
    struct stat info;
    int ends[2];
    const double bytes = stat(path, &info) == 0 ? (double)info.st_size : 0.0;
    if (pipe(ends) != 0) return look(data, err);
    pid_t child = fork();
    if (child == 0) look_as_child(look, data, bytes, ends[1]);
    close(ends[1]);
    td_status status = child < 0 ? look(data, err) : answer_of(child, ends[0], path, err);
    close(ends[0]);
    return status;
}
