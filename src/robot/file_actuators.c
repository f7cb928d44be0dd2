// robot/file_actuators.c - actuators in files, whatever their kind.
#include <math.h>

#include "robot/file_read.h"

#define ROW(word, plural, flag, help) [KIND_##word] = read_##word,
static td_status (*const readers[N_ACTUATOR_KINDS])(reader *, node *) = {ACTUATOR_KINDS(ROW)};
#undef ROW

td_status read_stretch(reader *r, const node *n, const actuator_draft *draft, int *rod,
                       double *from, double *to) {
    td_status status = read_rod_name(r, n, "rod", draft->rod, rod);
    if (status) return status;
    double length = r->robot->rods[*rod].length;
    *from = 0.0, *to = length;
    if (draft->from) status = read_place(r, draft->from, length, from);
    if (!status && draft->to) status = read_place(r, draft->to, length, to);
    return status;
}

td_status read_actuators(reader *r, node *const lists[N_ACTUATOR_KINDS]) {
    td_status status = TD_OK;
    for (int k = 0; k < N_ACTUATOR_KINDS; k++)
        for (node *c = lists[k] ? lists[k]->first : NULL; c && !status; c = c->next)
            status = readers[k](r, c);
    return status;
}

// ---------------------------------------------------------------- offsets
typedef struct polar_draft {
    double radius, angle;
} polar_draft;

static const key polar_keys[] = {
    {"radius", &type_quantity, "m", REQUIRED, "distance from the axis of the rod",
     offsetof(polar_draft, radius), 0, 0},
    {"angle", &type_quantity, "rad", "0", "from local x towards local y",
     offsetof(polar_draft, angle), 0, 0},
};
const mapping polar_mapping = {
    "offset", "A point of the section: distance and angle, or a list of local x and y.",
    KEYS(polar_keys), 0, 0};

static td_status offset_value(reader *r, node *n, const key *k, void *to) {
    double *out = to;
    polar_draft p = {0};
    if (n->kind != NODE_MAPPING) return read_quantities(r, n, k->unit, 2, out);
    td_status status = read_mapping(r, n, &polar_mapping, &p);
    if (status) return status;
    if (p.radius < 0.0)
        return REFUSE(node_child(n, "radius"), "%g m must not be negative", p.radius);
    out[0] = p.radius * cos(p.angle);
    out[1] = p.radius * sin(p.angle);
    return TD_OK;
}

const value_type type_offset = {"[x, y] or mapping", offset_value};
