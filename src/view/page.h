// view/page.h - the files of the page: where they are, and which of them a request means.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Folder of the built page: `given`, or beside the program, in its build tree, or where it is
// installed. False: it is nowhere.
bool page_find(const char *given, char *folder, size_t size);
// The file that a request for `path` ("/assets/page.js") means. False: there can be none.
bool page_file(const char *folder, const char *path, char *file, size_t size);
const char *page_type(const char *file);  // MIME type, by the end of its name
