// io/zip.h - writing a ZIP archive, one file after the other, deflated. The same files give the same bytes.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tendril/status.h"

typedef struct zip zip;

zip *zip_create(const char *path, td_error *err);  // NULL: err says why
// `name` as it is in the archive, "resources/robot.yaml". After a failure the others do nothing.
void zip_add(zip *z, const char *name, const void *bytes, size_t n);
void zip_add_text(zip *z, const char *name, const char *text);
void zip_add_file(zip *z, const char *name, const char *path);  // what is in a file
// Ends it. On failure there is no archive.
td_status zip_close(zip *z, td_error *err);
