// view/text.h - the short texts that the program sends to the page. Each is malloc'ed; NULL: out of
// memory.
#pragma once

#include <stddef.h>

#include "io/json.h"

// A JSON object of this type, written to memory: begin, put, end.
typedef struct text_writer {
    json json;
    char *text;
    size_t length;
} text_writer;

json *text_begin(text_writer *w, const char *type);  // NULL: out of memory
char *text_end(text_writer *w);

char *text_message(const char *type, const char *message);  // error, note
char *text_failure(const char *message, double time);
char *text_inputs(const char *name, const char *yaml);
