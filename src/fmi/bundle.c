// fmi/bundle.c - see bundle.h.
#define _GNU_SOURCE  // dlinfo
#include "fmi/bundle.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

// Parts of the system: another copy of them in one program would do harm.
static bool is_everywhere(const char *name) {
    static const char *const begins[] = {"libc.so",  "libm.so",    "libdl.so",   "librt.so",
                                         "ld-linux", "libpthread", "libgcc_s.so"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (!strncmp(name, begins[i], strlen(begins[i]))) return true;
    return false;
}

static void leave_out(library_list *list, const char *name) {
    const size_t used = strlen(list->left_out);
    if (!strstr(list->left_out, name))
        snprintf(list->left_out + used, sizeof list->left_out - used, "%s%s", used ? " " : "",
                 name);
}

static bool is_listed(const library_list *list, const char *name) {
    for (int i = 0; i < list->n; i++)
        if (!strcmp(list->all[i].name, name)) return true;
    return false;
}

static td_status gather(void *handle, library_list *list, td_error *err);

static td_status add(const char *name, library_list *list, td_error *err) {
    struct link_map *map;
    if (is_everywhere(name)) {
        leave_out(list, name);
        return TD_OK;
    }
    if (is_listed(list, name)) return TD_OK;
    if (list->n == MOST_LIBRARIES)
        return error_set(err, TD_ERR_FILE, name, "more than %d libraries", MOST_LIBRARIES);
    void *handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);  // it is there: what needs it is loaded
    if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0)
        return error_set(err, TD_ERR_FILE, name, "was not found");
    snprintf(list->all[list->n].name, sizeof list->all[0].name, "%s", name);
    snprintf(list->all[list->n].path, sizeof list->all[0].path, "%s", map->l_name);
    list->n++;
    const td_status status = gather(handle, list, err);
    dlclose(handle);
    return status;
}

static td_status gather(void *handle, library_list *list, td_error *err) {
    struct link_map *map;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0)
        return error_set(err, TD_ERR_FILE, "", "%s", dlerror());
    const char *strings = NULL;
    for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB) strings = (const char *)d->d_un.d_ptr;
    for (const ElfW(Dyn) *d = map->l_ld; strings && d->d_tag != DT_NULL; d++) {
        if (d->d_tag != DT_NEEDED) continue;
        const td_status status = add(strings + d->d_un.d_val, list, err);
        if (status < 0) return status;
    }
    return TD_OK;
}

td_status libraries_of(const char *path, library_list *list, td_error *err) {
    *list = (library_list){0};
    void *handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!handle) return error_set(err, TD_ERR_FILE, path, "%s", dlerror());
    const td_status status = gather(handle, list, err);
    dlclose(handle);
    return status;
}
