// robot/file_actuators.c - tendons and chambers from the tree to the robot.
#include <math.h>
#include <string.h>

#include "robot/file_read.h"

#define PI 3.14159265358979323846
#define GAS_CONSTANT 8.31446261815324  // J/(mol K)
#define REFUSE(node_, ...) node_error(r->t, (node_), r->err, TD_ERR_VALUE, __VA_ARGS__)

static td_status read_ends(reader *r, const node *from, const node *to, int rod, double *start,
                           double *end) {
    double length = r->robot->rods[rod].length;
    *start = 0.0, *end = length;
    td_status status = from ? read_place(r, from, length, start) : TD_OK;
    if (!status && to) status = read_place(r, to, length, end);
    return status;
}

// ---------------------------------------------------------------- the path of a tendon
static td_status routing_value(reader *r, node *n, const key *k, void *to) {
    tendon_draft *draft = to;
    td_status status = read_mapping(r, n, k->inside, draft);
    if (status) return status;
    if (n->n_children != 1) return REFUSE(n, "a routing is one of helix, points or polar");
    draft->def.routing = draft->points  ? TD_ROUTING_POINTS
                         : draft->polar ? TD_ROUTING_POLAR
                                        : TD_ROUTING_HELIX;
    return TD_OK;
}

const value_type type_routing = {"mapping", routing_value};

static td_status read_path(reader *r, const node *n, tendon_draft *draft) {
    td_tendon_def *def = &draft->def;
    const bool polar = def->routing == TD_ROUTING_POLAR;
    const char *point = polar ? "a point [place, radius, angle]" : "a point [place, x, y]";
    if (n->kind != NODE_SEQUENCE || n->n_children < 2)
        return REFUSE(n, "a list of two or more is expected here, each %s", point);
    double *points = tree_take(r->t, 3 * sizeof *points * (size_t)n->n_children);
    if (!points) return node_error(r->t, n, r->err, TD_ERR_MEMORY, "out of memory");
    double length = r->robot->rods[def->rod].length, *p = points;
    for (node *c = n->first; c; c = c->next, p += 3) {
        td_status status = expect_list(r, c, 3, point);
        if (!status) status = read_place(r, c->first, length, &p[0]);
        if (!status) status = read_quantity(r, c->first->next, "m", &p[1]);
        if (!status) status = read_quantity(r, c->last, polar ? "rad" : "m", &p[2]);
        if (status) return status;
    }
    def->points = points;
    def->n_points = n->n_children;
    // What the tendon does not say of its ends, its points do.
    if (!draft->from) def->from = points[0];
    if (!draft->to && !draft->end) def->to = points[3 * (def->n_points - 1)];
    return TD_OK;
}

static td_status check_path(reader *r, const node *n, tendon_draft *draft) {
    const node *offset = node_child(n, "offset"), *end = node_child(n, "offset_end");
    const node *routing = node_child(n, "routing");
    if (routing && (offset || end))
        return REFUSE(routing, "give either offset or routing, not both");
    if (!routing && !offset) return REFUSE(n, "the key 'offset' or 'routing' is missing");
    if (!end) memcpy(draft->def.offset_end, draft->def.offset, sizeof draft->def.offset);
    const node *points = draft->points ? draft->points : draft->polar;
    return points ? read_path(r, points, draft) : TD_OK;
}

// ---------------------------------------------------------------- tendons
// What section and material give; keys that say it themselves do not go together with it.
static td_status read_wire(reader *r, const node *n, const tendon_draft *draft,
                           td_tendon_def *def) {
    static const char *const given[] = {"bending", "torsion", "mass_per_length"};
    const node *wire = node_child(n, "wire");
    if (!wire) return TD_OK;
    for (int i = 0; i < 3; i++)
        if (node_child(n, given[i]))
            return REFUSE(node_child(n, given[i]), "give either wire or %s, not both", given[i]);
    double a = draft->wire_radius, area = PI * a * a;
    if (!(a > 0.0) || a > LARGEST_QUANTITY)
        return REFUSE(node_child(wire, "radius"), "%g m must be positive", a);
    def->bending = draft->wire.youngs_modulus * area * a * a / 4.0;
    def->torsion = draft->wire.shear_modulus * area * a * a / 2.0;
    def->mass_per_length = draft->wire.density * area;
    if (!node_child(n, "stiffness")) def->stiffness = draft->wire.youngs_modulus * area;
    return TD_OK;
}

static td_status read_tendon(reader *r, node *n) {
    tendon_draft draft = {.def = td_default_tendon_def()};
    td_tendon_def *def = &draft.def;
    td_status status = read_mapping(r, n, &tendon_mapping, &draft);
    if (!status) status = check_name(r, n, "tendons", find_tendon);
    if (status) return status;
    if (draft.to && draft.end) return REFUSE(draft.end, "give either to or end, not both");
    status = read_wire(r, n, &draft, def);
    if (!status) status = read_rod_name(r, n, "rod", draft.rod, &def->rod);
    if (!status)
        status = read_ends(r, draft.from, draft.to ? draft.to : draft.end, def->rod, &def->from,
                           &def->to);
    if (!status) status = check_path(r, n, &draft);
    if (!status)
        status = read_effort(r, n, draft.value, def->name, def->input == TD_TENSION ? "N" : "m",
                             &def->value);
    return status ? status : added_part(r, n, td_robot_add_tendon(r->robot, def, r->err));
}

td_status read_tendons(reader *r, node *tendons) {
    td_status status = TD_OK;
    for (node *c = tendons ? tendons->first : NULL; c && !status; c = c->next)
        status = read_tendon(r, c);
    return status;
}

// ---------------------------------------------------------------- chambers
// The volume in the rest shape: area times the integral of e3 . (v* + u* x r).
static double rest_volume(const robot_rod *rod, const td_chamber_def *def) {
    double area = def->radius > 0.0 ? PI * def->radius * def->radius : def->area;
    double start = 0.0, length = 0.0;
    for (int i = 0; i < rod->n_pieces; i++) {
        const td_piece_def *p = &rod->pieces[i];
        double covered = fmin(def->to, start + p->length) - fmax(def->from, start);
        double stretch = p->rest_stretch[2] + p->rest_curvature[0] * def->offset[1] -
                         p->rest_curvature[1] * def->offset[0];
        length += stretch * fmax(covered, 0.0);
        start += p->length;
    }
    return area * length;
}

// A pressure may begin at 0, but a chamber that holds nothing has no shape.
static td_status check_filling(reader *r, const node *n, const chamber_draft *draft) {
    const td_chamber_def *def = &draft->def;
    bool driven = draft->value || node_child(node_child(r->root, "inputs"), def->name);
    if (def->input == TD_PRESSURE || driven) return TD_OK;
    double volume = rest_volume(&r->robot->rods[def->rod], def);
    double amount = def->atmosphere * volume / (GAS_CONSTANT * def->temperature);
    bool gas = def->input == TD_AMOUNT;
    return REFUSE(n,
                  "the key 'value', or a signal under inputs, is missing: what the chamber holds, "
                  "which is %.4g %s at rest",
                  gas ? amount : volume, gas ? "mol" : "m^3");
}

static td_status read_chamber(reader *r, node *n) {
    static const char *const units[] = {"Pa", "m^3", "mol"};
    chamber_draft draft = {.def = td_default_chamber_def()};
    td_chamber_def *def = &draft.def;
    td_status status = read_mapping(r, n, &chamber_mapping, &draft);
    if (!status) status = check_name(r, n, "chambers", find_chamber);
    if (status) return status;
    const node *radius = node_child(n, "radius"), *area = node_child(n, "area");
    if (!radius == !area)
        return REFUSE(n, radius ? "give either radius or area, not both"
                                : "the key 'radius' or 'area' is missing");
    def->path_volume = draft.path;
    status = read_rod_name(r, n, "rod", draft.rod, &def->rod);
    if (!status) status = read_ends(r, draft.from, draft.to, def->rod, &def->from, &def->to);
    if (!status) status = check_filling(r, n, &draft);
    if (!status) status = read_effort(r, n, draft.value, def->name, units[def->input], &def->value);
    return status ? status : added_part(r, n, td_robot_add_chamber(r->robot, def, r->err));
}

td_status read_chambers(reader *r, node *chambers) {
    td_status status = TD_OK;
    for (node *c = chambers ? chambers->first : NULL; c && !status; c = c->next)
        status = read_chamber(r, c);
    return status;
}
