// import/xml.h - an XML document as a tree that knows where every element stands.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tendril/status.h"

#define LARGEST_XML (16u << 20)  // bytes
#define MOST_ELEMENTS 200000
#define DEEPEST_ELEMENT 200

typedef struct xml_attribute {
    struct xml_attribute *next;
    const char *name, *value;
    bool read;  // somebody asked for it
} xml_attribute;

typedef struct xml_node {
    const char *name;
    xml_attribute *attributes;
    struct xml_node *parent, *first, *last, *next;
    int line, column;  // from 1
    bool read;
} xml_node;

typedef struct xml_file {
    const char *path;  // of messages
    xml_node *root;
    struct xml_block *blocks;  // all memory of it
} xml_file;

// Reads a document. A document type is refused, and entities with it. xml_free() in any case.
td_status xml_read(xml_file *file, const char *path, const char *text, size_t length,
                   td_error *err);
void xml_free(xml_file *file);

// A refusal with file, line and column.
td_status xml_error(const xml_file *file, const xml_node *at, td_error *err, const char *format,
                    ...) __attribute__((format(printf, 4, 5)));

xml_node *xml_child(const xml_node *of, const char *name);  // the first, NULL: none
xml_node *xml_next(const xml_node *after);                  // of the same name, NULL: none
xml_attribute *xml_attribute_of(const xml_node *of, const char *name);
