// io/written.h - files that take their places when they are whole, and which files of a folder this program wrote, so that
// only those are ever removed. A hidden list beside them holds their sizes and times: what was changed since is someone else's.
#pragma once

#include <stdio.h>

#include "tendril/status.h"

#define WRITTEN_LIST ".tendril-files"

// A file that is written beside its place (`path` BESIDE), where an older one stays until this one is whole. A link or a device
// is written through.
FILE *whole_open(const char *path, td_error *err);  // NULL: err says why
// It takes its place, or err says why not, and nothing is left of it.
td_status whole_close(FILE *out, const char *path, td_error *err);
void whole_drop(FILE *out, const char *path);                             // nothing is left of it
td_status text_write(const char *path, const char *text, td_error *err);  // all of that

// Notes that the file was written by this program, beside a result or in a folder "vtk".
void written_note(const char *path);
// Removes the files of the list that are as they were written, and the list.
void written_remove(const char *folder);
// whole_close; then noted.
td_status written_close(FILE *out, const char *path, td_error *err);
