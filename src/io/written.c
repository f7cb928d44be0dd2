// io/written.c - see written.h.
#include "io/written.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "io/result.h"

enum { MOST_PATH = 1024 };

static bool is_listed_folder(const char *folder) {
    char file[MOST_PATH + 16];
    const char *slash = strrchr(folder, '/');
    snprintf(file, sizeof file, "%s/result.h5", folder);
    return access(file, F_OK) == 0 || !strcmp(slash ? slash + 1 : folder, "vtk");
}

static FILE *open_list(const char *folder, const char *mode) {
    char list[MOST_PATH + 32];
    snprintf(list, sizeof list, "%s/" WRITTEN_LIST, folder);
    return fopen(list, mode);
}

// A file that could not be noted is left alone later: no harm, and no error.
void written_note(const char *path) {
    char folder[MOST_PATH];
    struct stat info;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    folder_holding(path, folder, sizeof folder);
    if (strchr(name, '\n') || !is_listed_folder(folder) || stat(path, &info) != 0) return;
    FILE *list = open_list(folder, "a");
    if (!list) return;
    fprintf(list, "%lld %lld.%09ld %s\n", (long long)info.st_size, (long long)info.st_mtim.tv_sec,
            info.st_mtim.tv_nsec, name);
    fclose(list);
}

static void remove_if_unchanged(const char *folder, const char *line) {
    long long size, seconds;
    long nanoseconds;
    int name = 0;
    char path[MOST_PATH + 512];
    struct stat info;
    if (sscanf(line, "%lld %lld.%9ld %n", &size, &seconds, &nanoseconds, &name) < 3 || !name ||
        strchr(line + name, '/'))
        return;
    snprintf(path, sizeof path, "%s/%s", folder, line + name);
    if (lstat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size == size &&
        info.st_mtim.tv_sec == seconds && info.st_mtim.tv_nsec == nanoseconds)
        unlink(path);
}

void written_remove(const char *folder) {
    char line[512], path[MOST_PATH + 32];
    FILE *list = open_list(folder, "r");
    if (!list) return;
    while (fgets(line, sizeof line, list)) {
        line[strcspn(line, "\n")] = '\0';
        remove_if_unchanged(folder, line);
    }
    fclose(list);
    snprintf(path, sizeof path, "%s/" WRITTEN_LIST, folder);
    unlink(path);
}

// ---------------------------------------------------------------- whole files
static void beside_of(const char *path, char beside[MOST_PATH]) {
    struct stat info;
    const bool through = lstat(path, &info) == 0 && !S_ISREG(info.st_mode);
    snprintf(beside, MOST_PATH, "%s%s", path, through ? "" : BESIDE);
}

FILE *whole_open(const char *path, td_error *err) {
    char beside[MOST_PATH];
    if (strlen(path) + sizeof BESIDE > MOST_PATH) {
        error_set(err, TD_ERR_FILE, path, "the path is longer than %d bytes", MOST_PATH);
        return NULL;
    }
    beside_of(path, beside);
    FILE *out = fopen(beside, "wb");
    if (!out) error_set(err, TD_ERR_FILE, path, "cannot write: %s", strerror(errno));
    return out;
}

static void remove_beside(const char *path, const char *beside) {
    if (strcmp(beside, path) != 0) unlink(beside);
}

void whole_drop(FILE *out, const char *path) {
    char beside[MOST_PATH];
    beside_of(path, beside);
    fclose(out);
    remove_beside(path, beside);
}

td_status whole_close(FILE *out, const char *path, td_error *err) {
    char beside[MOST_PATH];
    beside_of(path, beside);
    bool ok = fflush(out) == 0 && !ferror(out);
    int reason = errno;
    if (fclose(out) != 0 && ok) ok = false, reason = errno;
    if (ok && (!strcmp(beside, path) || rename(beside, path) == 0)) return TD_OK;
    if (ok) reason = errno;
    remove_beside(path, beside);
    return error_set(err, TD_ERR_FILE, path, "cannot write: %s", strerror(reason));
}

td_status text_write(const char *path, const char *text, td_error *err) {
    FILE *out = whole_open(path, err);
    if (!out) return TD_ERR_FILE;
    fputs(text, out);
    return whole_close(out, path, err);
}

td_status written_close(FILE *out, const char *path, td_error *err) {
    const td_status status = whole_close(out, path, err);
    if (status == TD_OK) written_note(path);
    return status;
}
