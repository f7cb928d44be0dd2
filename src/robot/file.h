// robot/file.h - what the file reader offers to the rest of the library and to its documentation.
#pragma once

#include <stddef.h>

// The reference of the file format, in Markdown, made from the tables that the reader itself uses.
// Writes at most size bytes, terminated, and returns the length of the whole text, like snprintf.
size_t file_reference(char *buffer, size_t size);

// Every key of the format in order: the path of its mapping ("rods[].section") and its name. False
// past the last.
typedef struct file_key {
    const char *mapping, *name;
} file_key;
int file_key_at(int index, file_key *out);
