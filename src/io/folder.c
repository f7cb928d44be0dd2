// The folder that a result lives in.
#include "io/result.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

void folder_holding(const char *path, char *folder, size_t size) {
    const char *slash = strrchr(path, '/');
    if (!slash) snprintf(folder, size, ".");
    else snprintf(folder, size, "%.*s", slash > path ? (int)(slash - path) : 1, path);
}

bool same_file(const char *a, const char *b) {
    struct stat ia, ib;
    return stat(a, &ia) == 0 && stat(b, &ib) == 0 && ia.st_dev == ib.st_dev &&
           ia.st_ino == ib.st_ino;
}

td_status make_folders(const char *folder, td_error *err) {
    char path[512];
    if (!folder[0]) return error_set(err, TD_ERR_FILE, "--out", "the folder's name is empty");
    if ((size_t)snprintf(path, sizeof path, "%s", folder) >= sizeof path)
        return error_set(err, TD_ERR_FILE, folder, "the path is longer than %zu bytes",
                         sizeof path - 1);
    for (char *c = path + 1; *c; c++) {
        if (*c != '/') continue;
        *c = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            return error_set(err, TD_ERR_FILE, path, "cannot make the folder: %s", strerror(errno));
        *c = '/';
    }
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return error_set(err, TD_ERR_FILE, folder, "cannot make the folder: %s", strerror(errno));
    // Told before anything is computed, not when it is to be written.
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return error_set(err, TD_ERR_FILE, folder, "this is a file, not a folder");
    if (access(path, W_OK | X_OK) != 0)
        return error_set(err, TD_ERR_FILE, folder, "cannot write into the folder: %s",
                         strerror(errno));
    return TD_OK;
}

// What a run writes into its folder; the last two may be left behind by one that was killed.
static const char *const own_names[] = {"result.h5", KEPT_FILE, "result.h5" BESIDE,
                                        KEPT_FILE BESIDE};
enum { N_OWN = sizeof own_names / sizeof own_names[0] };

static bool is_own_name(const char *name) {
    for (int i = 0; i < N_OWN; i++)
        if (!strcmp(name, own_names[i])) return true;
    return false;
}

static bool is_empty(const char *folder) {
    DIR *dir = opendir(folder);
    if (!dir) return false;
    bool empty = true;
    for (struct dirent *e = readdir(dir); e && empty; e = readdir(dir))
        empty = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || is_own_name(e->d_name);
    closedir(dir);
    return empty;
}

// HDF5 locks what it writes (flock), and truncates what it creates before it looks at locks.
static bool is_locked(const char *path) {
    int file = open(path, O_RDONLY);
    if (file < 0) return false;
    bool locked = flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(file);
    return locked;
}

bool is_being_written(const char *path) {
    const struct timespec pause = {0, 20000000};
    for (int i = 0; i < 50; i++) {
        if (!is_locked(path)) return false;
        nanosleep(&pause, NULL);
    }
    return true;
}

static td_status check_idle(const char *folder, const char *name, td_error *err) {
    char path[640];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!is_being_written(path)) return TD_OK;
    return error_set(err, TD_ERR_FILE, path,
                     "another run is writing here; wait for its end or give another --out");
}

// A file of this name is replaced only when this program wrote it, or when it is empty.
static td_status check_replaceable(const char *folder, const char *name, td_error *err) {
    char path[640];
    struct stat info;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (stat(path, &info) != 0 || (S_ISREG(info.st_mode) && info.st_size == 0) || is_own_file(path))
        return TD_OK;
    return error_set(err, TD_ERR_FILE, path,
                     "this program did not write the file, or it is damaged, so it is left alone; "
                     "move it away or give another --out");
}

td_status result_folder(const char *folder, td_error *err) {
    td_status status = make_folders(folder, err);
    if (status < 0) return status;
    for (int i = 0; i < N_OWN && status == TD_OK; i++)
        status = check_idle(folder, own_names[i], err);
    for (int i = 0; i < 2 && status == TD_OK; i++)
        status = check_replaceable(folder, own_names[i], err);
    if (status < 0) return status;
    struct stat info;
    char file[640];
    snprintf(file, sizeof file, "%s/result.h5", folder);
    if (stat(file, &info) == 0 || is_empty(folder)) return TD_OK;
    return error_set(err, TD_ERR_FILE, folder,
                     "the folder holds other files and no result.h5, so it is left alone; "
                     "give another --out");
}
