// import/imported.c - what all formats have in common: bodies, names, and what is left out.
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "import/imported.h"

void imported_free(imported *to) {
    free(to->bodies);
    free(to->shapes);
    to->bodies = NULL, to->shapes = NULL;
}

td_status import_chain(const xml_file *file, imported *to, td_error *err) {
    importer r = {file, to, err};
    to->bodies = calloc(MOST_IMPORTED, sizeof *to->bodies);
    to->shapes = calloc(MOST_SHAPES, sizeof *to->shapes);
    if (!to->bodies || !to->shapes)
        return error_set(err, TD_ERR_MEMORY, file->path, "out of memory");
    const char *root = file->root->name;
    const bool urdf = strcmp(root, "robot") == 0;
    if (!urdf && strcmp(root, "mujoco") != 0)
        return REFUSE(&r, file->root,
                      "<%.40s> is neither <robot> of a URDF nor <mujoco> of an MJCF file", root);
    to->format = urdf ? "URDF" : "MJCF";
    const td_status status = urdf ? urdf_import(&r, file->root) : mjcf_import(&r, file->root);
    for (int i = 0; i < to->n_passive && !status; i++)
        if (!to->passive_found[i])
            return error_set(err, TD_ERR_VALUE, file->path, "no joint has the name '%.60s'",
                             to->passive[i]);
    return status;
}

// ---------------------------------------------------------------- shapes
td_status import_shape(importer *r, const xml_node *at, const imported_shape *shape) {
    const int n = shape->kind == IMPORT_BOX ? 3 : shape->kind == IMPORT_CAPSULE ? 2 : 1;
    for (int i = 0; i < n; i++)
        if (!(shape->size[i] > 0.0)) return REFUSE(r, at, "a size of %g m", shape->size[i]);
    if (r->to->n_shapes == MOST_SHAPES) return REFUSE(r, at, "more than %d shapes", MOST_SHAPES);
    r->to->shapes[r->to->n_shapes++] = *shape;
    return TD_OK;
}

td_status import_cylinder(importer *r, const xml_node *at, imported_shape *shape, double radius,
                          double length) {
    if (length <= 2.0 * radius) {
        leave_out(r->to, "a cylinder that is wider than long: give it a box or a sphere");
        return TD_OK;
    }
    leave_out(r->to, "edges of cylinders: they are capsules of the same length here");
    shape->kind = IMPORT_CAPSULE;
    shape->size[0] = radius, shape->size[1] = length - 2.0 * radius;
    return import_shape(r, at, shape);
}

// ---------------------------------------------------------------- what is left out
void leave_out(imported *to, const char *format, ...) {
    char what[sizeof to->left[0].what];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    for (char *c = what; *c; c++)
        if (iscntrl((unsigned char)*c)) *c = ' ';  // it stands in a comment
    for (int i = 0; i < to->n_left; i++)
        if (strcmp(to->left[i].what, what) == 0) {
            to->left[i].count++;
            return;
        }
    const bool last = to->n_left == MOST_LEFT_OUT - 1;
    if (to->n_left == MOST_LEFT_OUT) {
        to->left[MOST_LEFT_OUT - 1].count++;
        return;
    }
    left_out *one = &to->left[to->n_left++];
    snprintf(one->what, sizeof one->what, "%s", last ? "more of other kinds" : what);
    one->count = 1;
}

void leave_out_unread(imported *to, const xml_node *n) {
    if (!n->read) {
        leave_out(to, "<%.60s> in <%.60s>", n->name, n->parent ? n->parent->name : "");
        return;
    }
    for (const xml_attribute *a = n->attributes; a; a = a->next)
        if (!a->read) leave_out(to, "%.60s of <%.60s>", a->name, n->name);
    for (const xml_node *c = n->first; c; c = c->next) leave_out_unread(to, c);
}

// ---------------------------------------------------------------- names
static td_status clean_name(importer *r, const xml_node *at, const char *name, bool input,
                            char out[64]) {
    bool changed = false;
    if (strlen(name) > 63)
        return REFUSE(r, at, "the name '%.40s...' has more than 63 characters", name);
    snprintf(out, 64, "%s", name);
    for (char *c = out; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && (*c != '-' || input))
            *c = '_', changed = true;
    if (input && isdigit((unsigned char)*out)) *out = '_', changed = true;
    if (changed) leave_out(r->to, "the name '%.60s', which is '%s' here", name, out);
    return TD_OK;
}

imported_body *import_body(importer *r, const xml_node *at, const char *name) {
    imported *to = r->to;
    if (to->n_bodies == MOST_IMPORTED) {
        REFUSE(r, at, "more than %d bodies", MOST_IMPORTED);
        return NULL;
    }
    imported_body *b = &to->bodies[to->n_bodies];
    *b = (imported_body){.parent = WORLD,
                         .q = quat_identity(),
                         .axis = {1.0, 0.0, 0.0},
                         .gain = 1.0,
                         .inertia = mat3_zero()};
    if (clean_name(r, at, name, false, b->name)) return NULL;
    const bool world = strcmp(b->name, "world") == 0;
    for (int i = 0; i < to->n_bodies || world; i++)
        if (world || strcmp(to->bodies[i].name, b->name) == 0) {
            REFUSE(r, at, world ? "a body cannot have the name '%s'" : "two bodies are called '%s'",
                   b->name);
            return NULL;
        }
    to->n_bodies++;
    return b;
}

td_status input_name(importer *r, const xml_node *at, const char *name, char out[64]) {
    return clean_name(r, at, name, true, out);
}

bool is_passive(importer *r, const char *joint) {
    for (int i = 0; i < r->to->n_passive; i++)
        if (strcmp(r->to->passive[i], joint) == 0) return r->to->passive_found[i] = true;
    return false;
}
