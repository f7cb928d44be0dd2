// io/h5.c - see h5.h.
#include "io/h5.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "io/guard.h"
#include "io/result.h"

static atomic_bool starved;

static herr_t find_starvation(unsigned n, const H5E_error2_t *entry, void *unused) {
    (void)n, (void)unused;
    const bool memory = entry->maj_num == H5E_RESOURCE &&
                        (entry->min_num == H5E_NOSPACE || entry->min_num == H5E_CANTALLOC);
    if (memory) atomic_store(&starved, true);
    return 0;
}

// Called by HDF5 in place of printing, at the end of each call that failed.
static herr_t note_failure(hid_t stack, void *unused) {
    return H5Ewalk2(stack, H5E_WALK_UPWARD, find_starvation, unused);
}

void h5_silence(void) {
    H5dont_atexit();  // closing a file again that a full disk kept from closing crashes HDF5 1.10
    H5Eset_auto2(H5E_DEFAULT, note_failure, NULL);
}

bool h5_starved(void) {
    return atomic_load(&starved);
}

typedef struct reason {
    char text[128];
} reason;

// The system's words are inside a description like "... error message = 'No space left', ...".
static herr_t find_reason(unsigned n, const H5E_error2_t *entry, void *data) {
    (void)n;
    reason *r = data;
    static const char mark[] = "error message = '";
    const char *start = entry->desc ? strstr(entry->desc, mark) : NULL;
    if (!start || r->text[0]) return 0;
    start += sizeof mark - 1;
    size_t length = strcspn(start, "'");
    if (length >= sizeof r->text) length = sizeof r->text - 1;
    memcpy(r->text, start, length);
    return 0;
}

td_status h5_error(td_error *err, const char *path, const char *what) {
    reason r = {{0}};
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, find_reason, &r);
    // A call that went well since may have cleared HDF5's own words.
    if (!r.text[0] && (errno == ENOSPC || errno == EFBIG || errno == EIO))
        snprintf(r.text, sizeof r.text, "%s", strerror(errno));
    return error_set(err, TD_ERR_FILE, path, "%s%s%s", what, r.text[0] ? ": " : "", r.text);
}

// `size` in bytes with the end, or H5T_VARIABLE.
static hid_t text_type(size_t size) {
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    H5Tset_strpad(type, H5T_STR_NULLTERM);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

static bool put_attribute(hid_t object, const char *name, hid_t file_type, hid_t memory_type,
                          const void *value) {
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Aexists(object, name) > 0
                          ? H5Aopen(object, name, H5P_DEFAULT)
                          : H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = attribute >= 0 && H5Awrite(attribute, memory_type, value) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    H5Sclose(space);
    return ok;
}

bool h5_put_text(hid_t object, const char *name, const char *text) {
    hid_t type = text_type(H5T_VARIABLE);
    bool ok = put_attribute(object, name, type, type, &text);
    H5Tclose(type);
    return ok;
}

bool h5_put_number(hid_t object, const char *name, double value) {
    return put_attribute(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

bool h5_put_integer(hid_t object, const char *name, int value) {
    return put_attribute(object, name, H5T_STD_I32LE, H5T_NATIVE_INT, &value);
}

bool h5_put_document(hid_t file, const char *path, const char *text) {
    hid_t type = text_type(strlen(text) + 1), space = H5Screate(H5S_SCALAR);
    hid_t set = H5Dcreate2(file, path, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    if (set >= 0) H5Dclose(set);
    H5Sclose(space);
    H5Tclose(type);
    return ok;
}

static bool is_text(hid_t type, bool variable) {
    return type >= 0 && H5Tget_class(type) == H5T_STRING &&
           (H5Tis_variable_str(type) > 0) == variable;
}

bool h5_get_text(hid_t object, const char *name, char *text, size_t size) {
    text[0] = '\0';
    if (H5Aexists(object, name) <= 0) return false;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0) return false;
    hid_t stored = H5Aget_type(attribute), space = H5Aget_space(attribute);
    char *found = NULL;
    bool ok = is_text(stored, true) && H5Sget_simple_extent_npoints(space) == 1 &&
              H5Aread(attribute, stored, &found) >= 0;
    if (ok && found) snprintf(text, size, "%s", found);
    if (found) H5free_memory(found);
    if (stored >= 0) H5Tclose(stored);
    H5Sclose(space);
    H5Aclose(attribute);
    return ok;
}

bool h5_get_number(hid_t object, const char *name, double *value) {
    if (H5Aexists(object, name) <= 0) return false;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0) return false;
    hid_t space = H5Aget_space(attribute);
    bool ok = H5Sget_simple_extent_npoints(space) == 1 &&
              H5Aread(attribute, H5T_NATIVE_DOUBLE, value) >= 0;
    H5Sclose(space);
    H5Aclose(attribute);
    return ok;
}

char *h5_get_document(hid_t file, const char *path) {
    if (H5Lexists(file, path, H5P_DEFAULT) <= 0) return NULL;
    hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    if (set < 0) return NULL;
    hid_t type = H5Dget_type(set);
    hsize_t bytes = 0;
    bool whole =
        is_text(type, false) && H5Fget_filesize(file, &bytes) >= 0 && H5Tget_size(type) <= bytes;
    char *text = whole ? calloc(H5Tget_size(type) + 1, 1) : NULL;
    if (text && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0) {
        free(text);
        text = NULL;
    }
    H5Tclose(type);
    H5Dclose(set);
    return text;
}

// Closing it closes all that is open in it: damage leaves objects half open.
static hid_t open_to_read(const char *file) {
    hid_t how = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(how, H5F_CLOSE_STRONG);
    hid_t handle = H5Fopen(file, H5F_ACC_RDONLY, how);
    H5Pclose(how);
    return handle;
}

// How long a file says that it is, in its first bytes (HDF5 file format specification, superblocks
// of version 0 to 3); 0: it does not.
static unsigned long long length_in_head(const char *file) {
    static const int places[] = {40, 44, 28, 28};
    unsigned char head[52] = {0};
    FILE *f = fopen(file, "rb");
    const size_t n = f ? fread(head, 1, sizeof head, f) : 0;
    if (f) fclose(f);
    if (n < sizeof head || head[8] > 3) return 0;
    unsigned long long length = 0;
    for (int i = 7; i >= 0; i--) length = length << 8 | head[places[head[8]] + i];
    return length;
}

static void refuse_to_read(const char *file, unsigned long long has, td_error *err) {
    const unsigned long long says = length_in_head(file);
    if (says > has)
        error_set(err, TD_ERR_FILE, file,
                  "cannot be opened: it was cut short, to %llu bytes of %llu", has, says);
    else h5_error(err, file, "cannot be opened: it is damaged");
}

hid_t h5_open(const char *path, char *file, size_t size, td_error *err) {
    h5_silence();
    result_file_path(path, file, size);
    struct stat info;
    if (stat(file, &info) != 0) {
        error_set(err, TD_ERR_FILE, path, "there is no result here%s",
                  strcmp(file, path) ? " (no result.h5 in this folder)" : "");
        return H5I_INVALID_HID;
    }
    if (is_being_written(file)) {
        error_set(err, TD_ERR_FILE, file, "a run is still writing it; wait for its end");
        return H5I_INVALID_HID;
    }
    if (H5Fis_hdf5(file) <= 0) {
        const char *ending = strrchr(file, '.');
        bool robot = ending && (!strcmp(ending, ".yaml") || !strcmp(ending, ".yml"));
        error_set(err, TD_ERR_FILE, file, "not an HDF5 file, or one that was never completed%s",
                  robot ? "; of a robot file tendril run makes a result" : "");
        return H5I_INVALID_HID;
    }
    hid_t handle = open_to_read(file);
    if (handle < 0) refuse_to_read(file, (unsigned long long)info.st_size, err);
    return handle;
}

// Nothing here is compressed, so that a data set larger than its file is damage.
static bool fits(hid_t file, const hsize_t size[3]) {
    hsize_t bytes = 0;
    if (H5Fget_filesize(file, &bytes) < 0) return false;
    for (int i = 0; i < 3; i++) {
        if (size[i] == 0) return true;
        bytes /= size[i];
    }
    return bytes >= 1;
}

bool h5_size(hid_t file, const char *path, hsize_t *rows, hsize_t *width) {
    if (H5Lexists(file, path, H5P_DEFAULT) <= 0) return false;
    hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    if (set < 0) return false;
    hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    hsize_t size[3] = {0, 1, 1};
    int n = H5Sget_simple_extent_ndims(space);
    H5T_class_t class = H5Tget_class(type);
    bool ok = n >= 1 && n <= 3 && H5Sget_simple_extent_dims(space, size, NULL) == n &&
              (class == H5T_FLOAT || class == H5T_INTEGER) && fits(file, size);
    *rows = size[0];
    *width = size[1] * size[2];
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(set);
    return ok;
}

// ---------------------------------------------------------------- whose file
static td_status look_for_format(void *path, td_error *err) {
    char format[32];
    (void)err;
    h5_silence();
    hid_t file = H5Fis_hdf5(path) > 0 ? open_to_read(path) : -1;
    if (file < 0) return TD_ERR_FILE;
    bool own =
        h5_get_text(file, "format", format, sizeof format) && !strncmp(format, "tendril ", 8);
    H5Fclose(file);
    return own ? TD_OK : TD_ERR_VALUE;
}

bool is_own_file(const char *path) {
    return guard_look(look_for_format, (void *)(size_t)path, path, NULL) == TD_OK;
}
