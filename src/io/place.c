// io/place.c - see place.h.
#include "io/place.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// The folder that the program itself is in.
static bool own_folder(char *folder, size_t size) {
    ssize_t n = readlink("/proc/self/exe", folder, size - 1);
    if (n <= 0) return false;
    folder[n] = '\0';
    char *slash = strrchr(folder, '/');
    if (!slash) return false;
    *slash = '\0';
    return true;
}

bool place_find(const char *const *places, size_t n, const char *file, char *path, size_t size) {
    char own[512], whole[1200];
    if (!own_folder(own, sizeof own)) return false;
    for (size_t i = 0; i < n; i++) {
        snprintf(path, size, "%s/%s", own, places[i]);
        snprintf(whole, sizeof whole, "%s%s%s", path, file[0] ? "/" : "", file);
        if (access(whole, R_OK) == 0) return true;
    }
    return false;
}
