// robot/file_bodies.c - rigid bodies, one by one or as a row of equal ones along a rod.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robot/file_read.h"

// ---------------------------------------------------------------- shapes
static td_status shape_value(reader *r, node *n, const key *k, void *to) {
    shape_draft *shape = to;
    td_status status = read_mapping(r, n, k->inside, shape);
    if (status) return status;
    if (n->n_children != 1) return REFUSE(n, "a shape is one of cylinder, sphere, capsule or box");
    const node *given = n->first;
    for (const node *c = given->first; c; c = c->next) {
        int i = node_index(c);
        double size = given->kind == NODE_SEQUENCE    ? shape->box[i]
                      : strcmp(c->key, "radius") == 0 ? shape->radius
                                                      : shape->height;
        if (!(size > 0.0)) return REFUSE(c, "%g m must be positive", size);
    }
    return TD_OK;
}

const value_type type_shape = {"mapping", shape_value};

// Of a cylinder of length h and two half spheres, by their volumes.
static void capsule_inertia(double r, double h, double out[3]) {
    const double middle = h / (h + 4.0 / 3.0 * r), ends = 1.0 - middle, r2 = r * r;
    out[0] = out[1] =
        middle * (3.0 * r2 + h * h) / 12.0 + ends * (0.4 * r2 + 0.25 * h * h + 0.375 * h * r);
    out[2] = middle * 0.5 * r2 + ends * 0.4 * r2;
}

// Moments of inertia of solids of unit mass about their centres.
static void shape_inertia(const node *n, const shape_draft *shape, double out[3]) {
    const char *kind = n->first->key;
    if (strcmp(kind, "capsule") == 0) {
        capsule_inertia(shape->radius, shape->height, out);
        return;
    }
    double r2 = shape->radius * shape->radius, h2 = shape->height * shape->height;
    double square[3];
    for (int i = 0; i < 3; i++) square[i] = shape->box[i] * shape->box[i];
    for (int i = 0; i < 3; i++) {
        if (strcmp(kind, "cylinder") == 0) {
            out[i] = i == 2 ? r2 / 2.0 : (3.0 * r2 + h2) / 12.0;
        } else if (strcmp(kind, "sphere") == 0) {
            out[i] = 0.4 * r2;
        } else {
            out[i] = (square[(i + 1) % 3] + square[(i + 2) % 3]) / 12.0;
        }
    }
}

// How far it reaches across and along the rod that it rides on, and what of it touches.
static void shape_extent(const node *n, const shape_draft *shape, td_body_def *def) {
    const char *kind = n->first->key;
    def->radius = shape->radius;
    def->height = shape->height;
    if (strcmp(kind, "cylinder") == 0) return;
    def->height += 2.0 * shape->radius;
    def->shape = strcmp(kind, "sphere") == 0 ? TD_BODY_SPHERE : TD_BODY_CAPSULE;
    if (strcmp(kind, "box") != 0) return;
    def->shape = TD_BODY_BOX;
    memcpy(def->sides, shape->box, sizeof def->sides);
    def->radius = 0.5 * fmin(shape->box[0], shape->box[1]);
    def->height = shape->box[2];
}

static void set_inertia(const node *n, body_draft *draft) {
    const node *shape = node_child(n, "shape");
    if (!shape) return;
    shape_extent(shape, &draft->shape, &draft->def);
    if (node_child(n, "inertia")) return;  // of something hollow
    shape_inertia(shape, &draft->shape, draft->def.inertia);
    for (int i = 0; i < 3; i++) draft->def.inertia[i] *= draft->def.mass;
}

// ---------------------------------------------------------------- where they ride
typedef struct row {
    double *at;  // m
    int n;
    bool several;  // they are numbered
} row;

static td_status make_row(reader *r, const node *n, int count, row *out) {
    if (count < 1 || count > MOST_PARTS)
        return REFUSE(n, "%d bodies: there can be 1 to %d", count, MOST_PARTS);
    *out = (row){tree_take(r->t, sizeof(double) * (size_t)count), count, true};
    return out->at ? TD_OK : out_of_memory(r, n);
}

static td_status row_by_count(reader *r, const node *n, int count, double length, row *out) {
    td_status status = make_row(r, n, count, out);
    for (int i = 0; i < count && !status; i++) out->at[i] = length * (i + 1) / count;
    return status;
}

static td_status row_by_distance(reader *r, const node *n, double every, double length, row *out) {
    if (!(every > 0.0)) return REFUSE(n, "%g m must be positive", every);
    double count = floor(length / every * (1.0 + 1e-9));
    if (count < 1.0) return REFUSE(n, "%g m is longer than the rod, %g m", every, length);
    if (count > MOST_PARTS)
        return REFUSE(n, "%g m makes %.3g bodies; at most %d are allowed", every, count,
                      MOST_PARTS);
    td_status status = make_row(r, n, (int)count, out);
    for (int i = 0; i < (int)count && !status; i++) out->at[i] = fmin(every * (i + 1), length);
    return status;
}

static td_status row_by_places(reader *r, const node *n, double length, row *out) {
    bool list = n->kind == NODE_SEQUENCE;
    td_status status = make_row(r, n, list ? n->n_children : 1, out);
    if (status) return status;
    out->several = list;
    if (!list) return read_place(r, n, length, out->at);
    int i = 0;
    for (const node *c = n->first; c && !status; c = c->next)
        status = read_place(r, c, length, &out->at[i++]);
    return status;
}

static td_status read_row(reader *r, const node *n, const body_draft *draft, double length,
                          row *out) {
    const node *count = node_child(n, "count"), *every = node_child(n, "every");
    if ((draft->at && (count || every)) || (count && every))
        return REFUSE(every ? every : count, "give only one of at, count and every");
    if (count) return row_by_count(r, count, draft->count, length, out);
    if (every) return row_by_distance(r, every, draft->every, length, out);
    if (draft->at) return row_by_places(r, draft->at, length, out);
    td_status status = make_row(r, n, 1, out);
    if (status) return status;
    out->at[0] = length;
    out->several = false;
    return TD_OK;
}

// ---------------------------------------------------------------- bodies
static td_status refuse_keys(reader *r, const node *n, const char *const *keys,
                             const char *reason) {
    for (int i = 0; keys[i]; i++) {
        const node *c = node_child(n, keys[i]);
        if (c) return REFUSE_KEY(c, "'%s' %s", keys[i], reason);
    }
    return TD_OK;
}

static td_status add_free(reader *r, node *n, body_draft *draft) {
    static const char *const riding[] = {"at", "count", "every", "attached", NULL};
    td_status status = refuse_keys(r, n, riding, "goes with 'on': a free body rides on no rod");
    draft->def.rod = FREE_BODY;
    if (!status) status = read_orientation(r, n, &draft->turned, draft->def.orientation);
    return status ? status : added_part(r, n, td_robot_add_body(r->robot, &draft->def, r->err));
}

static td_status add_riding(reader *r, node *n, body_draft *draft) {
    static const char *const free[] = {"position", "direction", "quaternion", "rotation", NULL};
    td_body_def *def = &draft->def;
    row places = {0};
    td_status status =
        refuse_keys(r, n, free, "is for a free body; one that rides on a rod has its frame");
    if (!status) status = read_rod_name(r, n, "on", draft->on, &def->rod);
    if (!status) status = read_row(r, n, draft, r->robot->rods[def->rod].length, &places);
    const char *name = def->name;
    for (int i = 0; !status && i < places.n; i++) {
        char numbered[96];
        snprintf(numbered, sizeof numbered, "%.63s%d", name, i + 1);
        def->name = places.several ? numbered : name;
        def->at = places.at[i];
        status = added_part(r, n, td_robot_add_body(r->robot, def, r->err));
    }
    return status;
}

static td_status read_body(reader *r, node *n) {
    td_status status = check_name(r, n, "bodies", find_body);
    if (status) return status;
    const node *name = node_child(n, "name");
    body_draft draft = {.def = td_default_body_def()};
    r->owner = name ? name->text : "";
    status = read_mapping(r, n, &body_mapping, &draft);
    r->owner = "";
    if (status) return status;
    set_inertia(n, &draft);
    return draft.on ? add_riding(r, n, &draft) : add_free(r, n, &draft);
}

td_status read_bodies(reader *r, node *bodies, bool riding) {
    td_status status = TD_OK;
    for (node *c = bodies ? bodies->first : NULL; c && !status; c = c->next)
        if ((node_child(c, "on") != NULL) == riding) status = read_body(r, c);
    return status;
}
