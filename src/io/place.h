// io/place.h - where the program lies, and what came with it.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// The first of `places` (n), seen from the folder of the program, in which `file` can be read: "../share/tendril/viewer".
// file "": the place itself is a file. False: none.
bool place_find(const char *const *places, size_t n, const char *file, char *path, size_t size);
