// io/sweep_journal.c - rows on the disk as soon as they are there: see sweep.h.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "io/sweep.h"

#define ENDING ".journal"
#define MAGIC "TDSWEEP1"

typedef struct journal_head {
    char magic[8];
    uint64_t fingerprint;
    int64_t n_cases;
    int64_t n_results;
} journal_head;

static journal_head head_of(const td_study *study) {
    journal_head h = {.fingerprint = td_study_fingerprint(study),
                      .n_cases = td_study_n_cases(study),
                      .n_results = td_study_n_results(study)};
    memcpy(h.magic, MAGIC, sizeof h.magic);
    return h;
}

static td_status refuse(td_error *err, const char *path, const char *what) {
    return error_set(err, TD_ERR_FILE, path, "%s: %s", what, strerror(errno));
}

static td_status foreign(td_error *err, const char *path) {
    return error_set(err, TD_ERR_VALUE, path,
                     "rows of another study, robot or version are kept here: --anew drops them, or "
                     "give another --out");
}

bool read_fully(int file, void *to, size_t bytes) {
    char *at = to;
    while (bytes > 0) {
        const ssize_t n = read(file, at, bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += n, bytes -= (size_t)n;
    }
    return true;
}

bool write_fully(int file, const void *from, size_t bytes) {
    const char *at = from;
    while (bytes > 0) {
        const ssize_t n = write(file, at, bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += n, bytes -= (size_t)n;
    }
    return true;
}

// Reads records while they are whole; returns where they end. t may be NULL.
static off_t read_records(int file, sweep_table *t) {
    off_t good = sizeof(journal_head);
    unsigned char *bytes = NULL;
    record_head head;
    struct stat info;
    const off_t size = fstat(file, &info) == 0 ? info.st_size : 0;
    while (read_fully(file, &head, sizeof head) && record_head_is_sane(&head) &&
           (off_t)head.bytes <= size) {
        unsigned char *grown = realloc(bytes, (size_t)head.bytes + 1);
        if (!grown) break;
        bytes = grown;
        if (!read_fully(file, bytes, (size_t)head.bytes) || !record_is_whole(&head, bytes)) break;
        if (t && !sweep_table_put(t, &head, bytes)) break;
        good += (off_t)sizeof head + (off_t)head.bytes;
    }
    free(bytes);
    return good;
}

// 1: of this study, 0: empty or cut off before its first row, -1: of another.
static int whose(int file, const td_study *study) {
    const journal_head own = head_of(study);
    journal_head found;
    if (!read_fully(file, &found, sizeof found)) return 0;
    return memcmp(&own, &found, sizeof own) ? -1 : 1;
}

static bool is_journal(const char *name) {
    const size_t n = strlen(name), e = strlen(ENDING);
    return n > e && !strcmp(name + n - e, ENDING);
}

static td_status read_journal(const char *path, const td_study *study, sweep_table *t,
                              td_error *err) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return errno == ENOENT ? TD_OK : refuse(err, path, "cannot be read");
    const int of = whose(file, study);
    if (of > 0) read_records(file, t);
    close(file);
    return of < 0 ? foreign(err, path) : TD_OK;
}

td_status journals_read(const char *folder, const td_study *study, sweep_table *t, td_error *err) {
    DIR *dir = opendir(folder);
    td_status status = TD_OK;
    if (!dir) return errno == ENOENT ? TD_OK : refuse(err, folder, "cannot be read");
    for (struct dirent *e = readdir(dir); e && !status; e = readdir(dir)) {
        char path[1024];
        if (!is_journal(e->d_name)) continue;
        snprintf(path, sizeof path, "%.600s/%.300s", folder, e->d_name);
        status = read_journal(path, study, t, err);
    }
    closedir(dir);
    return status;
}

td_status journal_open(journal *j, const char *folder, const char *name, const td_study *study,
                       td_error *err) {
    const journal_head own = head_of(study);
    snprintf(j->path, sizeof j->path, "%.500s/%.100s" ENDING, folder, name);
    j->file = open(j->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (j->file < 0) return refuse(err, j->path, "cannot be written");
    if (flock(j->file, LOCK_EX | LOCK_NB) != 0) {
        journal_close(j);
        return error_set(err, TD_ERR_FILE, j->path,
                         "another sweep is writing here: wait for its end, give another --out, or "
                         "parts (--part)");
    }
    const int of = whose(j->file, study);
    if (of < 0) return journal_close(j), foreign(err, j->path);
    const off_t good = of > 0 ? read_records(j->file, NULL) : 0;
    if (ftruncate(j->file, good) != 0 || lseek(j->file, good, SEEK_SET) < 0 ||
        (good == 0 && !write_fully(j->file, &own, sizeof own))) {
        refuse(err, j->path, "cannot be written");
        return journal_close(j), TD_ERR_FILE;
    }
    return TD_OK;
}

td_status journal_add(journal *j, const record_head *head, const void *bytes, td_error *err) {
    if (write_fully(j->file, head, sizeof *head) &&
        write_fully(j->file, bytes, (size_t)head->bytes))
        return TD_OK;
    return refuse(err, j->path, "cannot be written");
}

void journal_sync(journal *j) {
    if (j->file >= 0) fdatasync(j->file);
}

void journal_close(journal *j) {
    if (j->file >= 0) close(j->file);
    j->file = -1;
}

void journals_remove(const char *folder) {
    DIR *dir = opendir(folder);
    for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
        char path[1024];
        snprintf(path, sizeof path, "%.600s/%.300s", folder, e->d_name);
        if (is_journal(e->d_name)) unlink(path);
    }
    if (dir) closedir(dir);
}
