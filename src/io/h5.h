// io/h5.h - the few HDF5 idioms that writing and reading results share. Included only by src/io.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <hdf5.h>

#include "tendril/status.h"

// HDF5 prints its error stack by default; here every call reports through td_error instead.
void h5_silence(void);
// Whether HDF5 was refused memory since the program began: most callers take what they can read and go on.
bool h5_starved(void);
// TD_ERR_FILE with `what` and, where HDF5 recorded one, the system's reason.
td_status h5_error(td_error *err, const char *path, const char *what);

// Attributes on an open object. Text is UTF-8 of variable length, which Python reads as str.
bool h5_put_text(hid_t object, const char *name, const char *text);
bool h5_put_number(hid_t object, const char *name, double value);
bool h5_put_integer(hid_t object, const char *name, int value);
// A string data set: attributes end at 64 kB, a robot file need not.
bool h5_put_document(hid_t file, const char *path, const char *text);

bool h5_get_text(hid_t object, const char *name, char *text, size_t size);
bool h5_get_number(hid_t object, const char *name, double *value);
char *h5_get_document(hid_t file, const char *path);  // malloc; NULL when there is none

// Opens a result folder or a file; `file` becomes its name. Negative: err says why.
hid_t h5_open(const char *path, char *file, size_t size, td_error *err);
// Rows and values per row; false when there is no such data set of numbers, or when the file is too
// short to hold it.
bool h5_size(hid_t file, const char *path, hsize_t *rows, hsize_t *width);
