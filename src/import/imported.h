// import/imported.h - a chain of rigid bodies as other formats have it, on its way into a robot file.
#pragma once

#include "import/xml.h"
#include "math/mat3.h"
#include "math/quat.h"

#define MOST_IMPORTED 1000  // bodies
#define MOST_SHAPES 1000
#define MOST_LEFT_OUT 200
#define WORLD (-1)

typedef enum import_joint { IMPORT_FIXED, IMPORT_HINGE, IMPORT_SLIDE, IMPORT_FREE } import_joint;

typedef struct imported_body {
    char name[64];
    int parent;  // index, before it; WORLD
    vec3 p;      // m, its frame in that of its parent where the joint is at `zero`
    quat q;
    import_joint joint;
    vec3 axis;          // of unit length, in its frame
    char input[64];     // that drives the joint; "": nothing does
    double gain, zero;  // the joint is at gain * input + zero beyond where the frame is
    bool limited;       //
    double low, high;   // of the input
    double rate;        // of the input, per s; 0: any
    double stiffness, damping, rest;  // of what nothing drives
    double mass;
    vec3 centre;
    mat3 inertia;  // about its centre, in its axes
} imported_body;

typedef enum import_kind { IMPORT_SPHERE, IMPORT_CAPSULE, IMPORT_BOX } import_kind;

typedef struct imported_shape {  // what touches, on a body
    int body;
    import_kind kind;
    double size[3];  // m: radius; radius and length without the round ends; sides
    vec3 p;          // its middle, in the frame of the body; a capsule lies along z
    quat q;
} imported_shape;

typedef struct left_out {  // what a robot file does not have, in words
    char what[160];
    int count;
} left_out;

typedef struct imported {
    const char *format;          // "URDF"
    bool free_base;              // asked for: what the world holds first is free
    bool with_shapes;            // asked for: what collides
    const char *const *passive;  // asked for: names of joints that nothing drives
    int n_passive;
    bool passive_found[64];
    imported_body *bodies;  // (MOST_IMPORTED)
    int n_bodies;
    imported_shape *shapes;  // (MOST_SHAPES)
    int n_shapes;
    bool has_gravity;
    double gravity[3];
    left_out left[MOST_LEFT_OUT];
    int n_left;
} imported;

typedef struct importer {
    const xml_file *file;
    imported *to;
    td_error *err;
} importer;

#define REFUSE(r, at, ...) xml_error((r)->file, at, (r)->err, __VA_ARGS__)

// ---------------------------------------------------------------- imported.c
// The formats: files by their root element. `to` has the wishes; its bodies are freed by imported_free.
td_status import_chain(const xml_file *file, imported *to, td_error *err);
void imported_free(imported *to);
void leave_out(imported *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
// All elements and attributes below n that nobody read.
void leave_out_unread(imported *to, const xml_node *n);
// A new body; NULL: refused. Its name is made one of a robot file, and must be new.
imported_body *import_body(importer *r, const xml_node *at, const char *name);
// The same for an input, without being new.
td_status input_name(importer *r, const xml_node *at, const char *name, char out[64]);
// Did the user ask for nothing to drive it?
bool is_passive(importer *r, const char *joint);
// One more shape.
td_status import_shape(importer *r, const xml_node *at, const imported_shape *shape);
// A cylinder along z of that length, as a capsule of the same length.
td_status import_cylinder(importer *r, const xml_node *at, imported_shape *shape, double radius,
                          double length);
// The robot file; free() it. NULL: out of memory.
char *import_write(const imported *from, const char *path);

// ---------------------------------------------------------------- values.c
td_status numbers_of(importer *r, const xml_node *n, const char *name, const char *text, int count,
                     double *out);
// The first `most` of any number of them.
td_status some_numbers_of(importer *r, const xml_node *n, const char *name, const char *text,
                          int most, double *out, int *found);
// Of an attribute; absent: `out` stays as it is.
td_status optional_numbers(importer *r, const xml_node *n, const char *name, int count,
                           double *out);
td_status required_numbers(importer *r, const xml_node *n, const char *name, int count,
                           double *out);
const char *text_of(const xml_node *n, const char *name);  // NULL: absent
td_status required_text(importer *r, const xml_node *n, const char *name, const char **out);
quat from_angles(double roll, double pitch, double yaw);  // R = Rz(yaw) Ry(pitch) Rx(roll)

// ---------------------------------------------------------------- urdf.c, mjcf.c
td_status urdf_import(importer *r, const xml_node *root);
td_status mjcf_import(importer *r, const xml_node *root);
