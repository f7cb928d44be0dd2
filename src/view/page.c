// view/page.c - see page.h.
#include "view/page.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/place.h"

static bool has_page(const char *folder) {
    char file[1100];
    snprintf(file, sizeof file, "%s/index.html", folder);
    return access(file, R_OK) == 0;
}

bool page_find(const char *given, char *folder, size_t size) {
    static const char *const places[] = {"viewer", "../share/tendril/viewer", "../viewer/dist",
                                         "../../viewer/dist"};
    if (given) {
        snprintf(folder, size, "%s", given);
        return has_page(folder);
    }
    return place_find(places, sizeof places / sizeof *places, "index.html", folder, size);
}

static bool is_plain(const char *path) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "._-/";
    return path[0] == '/' && strlen(path) < 256 && path[strspn(path, letters)] == '\0' &&
           !strstr(path, "..") && !strstr(path, "/.") && !strstr(path, "//");
}

bool page_file(const char *folder, const char *path, char *file, size_t size) {
    if (!is_plain(path)) return false;
    const char *name = strcmp(path, "/") ? path : "/index.html";
    return (size_t)snprintf(file, size, "%s%s", folder, name) < size && access(file, R_OK) == 0;
}

const char *page_type(const char *file) {
    static const struct {
        const char *end, *type;
    } types[] = {{".html", "text/html; charset=utf-8"},
                 {".js", "text/javascript; charset=utf-8"},
                 {".css", "text/css; charset=utf-8"},
                 {".svg", "image/svg+xml"},
                 {".png", "image/png"},
                 {".ico", "image/x-icon"},
                 {".json", "application/json"},
                 {".map", "application/json"},
                 {".woff2", "font/woff2"},
                 {".txt", "text/plain; charset=utf-8"}};
    const char *dot = strrchr(file, '.');
    for (size_t i = 0; dot && i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].end, dot)) return types[i].type;
    return "application/octet-stream";
}
