// io/written.h - which files of a folder this program wrote, so that only those are ever removed.
// A hidden list beside them holds their sizes and times: what was changed since is someone else's.
#pragma once

#include <stdio.h>

#include "tendril/status.h"

#define WRITTEN_LIST ".tendril-files"

// Notes that the file was written by this program, beside a result or in a folder "vtk".
void written_note(const char *path);
// Removes the files of the list that are as they were written, and the list.
void written_remove(const char *folder);
// Ends the writing of a text file: TD_OK and noted, or an error and no file cut short.
td_status written_close(FILE *out, const char *path, td_error *err);
