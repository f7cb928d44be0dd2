// import/xml_inner.h - what the parser and the tree share.
#pragma once

#include "import/xml.h"

typedef struct xml_block {
    struct xml_block *next;
    char data[];
} xml_block;

void *xml_take(xml_file *file, size_t bytes);  // zeroed; NULL: out of memory
char *xml_text(xml_file *file, const char *text);
