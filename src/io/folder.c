// The folder that a result lives in.
#include "io/result.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "io/vtk.h"

// What this program writes into a result folder, and so may remove from it.
static const char *const known_files[] = {
    "result.h5",  "tip.csv",       "shape.csv",    "tendons.csv",  "chambers.csv", "bodies.csv",
    "energy.csv", "inputs.csv",    "plot.png",     "tip.png",      "shapes.png",   "energy.png",
    "strain.png", "inputs.png",    "tendons.png",  "chambers.png", "bodies.png",   "against.png",
    "robot.png",  "animation.mp4", "animation.gif"};
enum { N_KNOWN = sizeof known_files / sizeof known_files[0] };

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

static bool is_empty(const char *folder) {
    DIR *dir = opendir(folder);
    if (!dir) return false;
    bool empty = true;
    for (struct dirent *e = readdir(dir); e && empty; e = readdir(dir))
        empty = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..");
    closedir(dir);
    return empty;
}

static td_status remove_known(const char *folder, td_error *err) {
    for (int i = 0; i < N_KNOWN; i++) {
        char path[640];
        snprintf(path, sizeof path, "%s/%s", folder, known_files[i]);
        if (unlink(path) != 0 && errno != ENOENT)
            return error_set(err, TD_ERR_FILE, path, "cannot replace the older result: %s",
                             strerror(errno));
    }
    vtk_remove(folder);
    return TD_OK;
}

td_status result_folder(const char *folder, td_error *err) {
    td_status status = make_folders(folder, err);
    if (status < 0) return status;
    struct stat info;
    char file[640];
    snprintf(file, sizeof file, "%s/result.h5", folder);
    if (stat(file, &info) == 0) return remove_known(folder, err);
    if (is_empty(folder)) return TD_OK;
    return error_set(err, TD_ERR_FILE, folder,
                     "the folder holds other files and no result.h5, so it is left alone; "
                     "give another --out");
}
