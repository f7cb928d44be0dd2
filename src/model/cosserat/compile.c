// model/cosserat/compile.c - from the description to rods cut into elements.
#include "model/cosserat/rod.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/se3.h"
#include "model/cosserat/around.h"
#include "model/cosserat/assembly.h"
#include "model/cosserat/contact.h"
#include "model/cosserat/scheme.h"
#include "model/touch.h"
#include "robot/actuators.h"
#include "robot/inertia.h"
#include "robot/places.h"

static station station_at(const td_piece_def *piece, double x, const td_options *options) {
    td_section_properties p = piece_properties(piece, x);
    station st = {.mass = p.mass,
                  .u_rest = vec3_load(piece->rest_curvature),
                  .v_rest = vec3_load(piece->rest_stretch),
                  .drag = vec3_load(piece->drag),
                  .linear = vec3_load(piece->linear_drag)};
    for (int i = 0; i < 6; i++) st.K[i] = p.stiffness[i], st.B[i] = p.damping[i];
    if (options->rotary_inertia) st.J = vec3_load(p.inertia);
    return st;
}

#define PATH_CHECKS 8  // places in a stretch that gets longer where paths are looked at

// ---------------------------------------------------------------- where a rod is cut
// Into parts of about a length; what ends on the way keeps its place, which is a material point of a rod that is fed.
static int cut_stretches(const double *marks, int n, double part, double *cuts) {
    int n_cuts = 0;
    for (int i = 0; i + 1 < n; i++) {
        const double length = marks[i + 1] - marks[i];
        const int parts = (int)fmax(1.0, round(length / part));
        for (int k = 0; k < parts; k++) cuts[n_cuts++] = marks[i] + length * k / parts;
    }
    cuts[n_cuts++] = marks[n - 1];
    return n_cuts;
}

// Sorted, unique cuts of a rod, 0 and L included. Returns how many, or -1 without memory.
static int find_cuts(const td_robot *robot, int rod_index, int parts, double **out) {
    const robot_rod *rr = &robot->rods[rod_index];
    const bool fed = is_fed(rr->feed);
    size_t most = (size_t)rr->n_pieces + 1 + 2 * (size_t)robot->n_loads + (size_t)robot->n_bodies +
                  2 * (size_t)robot->n_actuators + (size_t)path_points(robot, rod_index, NULL) +
                  (size_t)parts;
    double *cuts = malloc(sizeof *cuts * 2 * most);
    if (!cuts) return -1;
    int n = 0;
    cuts[n++] = 0.0;
    for (int k = 1; k < parts && !fed; k++) cuts[n++] = rr->length * k / parts;
    n += piece_ends(rr, cuts + n);
    for (int i = 0; i < robot->n_loads; i++) {
        const td_load_def *load = &robot->loads[i].def;
        if (load->rod != rod_index) continue;
        cuts[n++] = load->from;
        if (load->distributed) cuts[n++] = load->to;
    }
    for (int i = 0; i < robot->n_bodies; i++)
        if (robot->bodies[i].def.rod == rod_index) cuts[n++] = robot->bodies[i].def.at;
    n += actuator_ends(robot, rod_index, cuts + n);
    n += path_points(robot, rod_index, cuts + n);
    *out = cuts;
    n = join_places(cuts, n, rr->length);
    if (!fed) return n;
    double *marks = cuts + most;
    memcpy(marks, cuts, sizeof *cuts * (size_t)n);
    return cut_stretches(marks, n, rr->length / parts, cuts);
}

static const td_piece_def *piece_around(const robot_rod *rr, double s, double *start) {
    double begin = 0.0;
    int k = 0;
    while (k + 1 < rr->n_pieces && s >= begin + rr->pieces[k].length)
        begin += rr->pieces[k++].length;
    *start = begin;
    return &rr->pieces[k];
}

// ---------------------------------------------------------------- elements
static rod_load copy_load(const td_load_def *def) {
    rod_load load = {.frame = def->frame};
    for (int i = 0; i < 3; i++) load.force[i] = def->force[i], load.moment[i] = def->moment[i];
    return load;
}

static bool collect_loads(element *e, const td_robot *robot, int rod_index, double gap) {
    e->spread = calloc((size_t)robot->n_loads + 1, sizeof *e->spread);
    e->end_loads = calloc((size_t)robot->n_loads + 1, sizeof *e->end_loads);
    if (!e->spread || !e->end_loads) return false;
    double middle = e->s0 + 0.5 * e->length, end = e->s0 + e->length;
    for (int i = 0; i < robot->n_loads; i++) {
        const td_load_def *def = &robot->loads[i].def;
        if (def->rod != rod_index) continue;
        if (def->distributed && def->from < middle && middle < def->to)
            e->spread[e->n_spread++] = copy_load(def);
        if (!def->distributed && fabs(def->from - end) <= gap)
            e->end_loads[e->n_end_loads++] = copy_load(def);
    }
    return true;
}

static bool collect_riders(element *e, const td_robot *robot, int rod_index, double gap) {
    e->riders = calloc((size_t)robot->n_bodies + 1, sizeof *e->riders);
    if (!e->riders) return false;
    for (int i = 0; i < robot->n_bodies; i++) {
        const td_body_def *def = &robot->bodies[i].def;
        if (def->rod != rod_index || fabs(def->at - (e->s0 + e->length)) > gap) continue;
        e->riders[e->n_riders++] = (rider){i, rigid_make(def->mass, body_inertia(def), def->centre),
                                           def->attached, point_body_of(def, robot->fluid.density)};
    }
    return true;
}

// The piece that an element lies in; at: share x of the element as one of the piece.
static const td_piece_def *piece_of(const element *e, const robot_rod *rr, double x, double *at) {
    double start;
    const td_piece_def *piece = piece_around(rr, e->s0 + 0.5 * e->length, &start);
    *at = fmin(fmax((e->s0 + x * e->length - start) / piece->length, 0.0), 1.0);
    return piece;
}

static station station_in(const element *e, const robot_rod *rr, double x,
                          const td_options *options) {
    double at;
    const td_piece_def *piece = piece_of(e, rr, x, &at);
    return station_at(piece, at, options);
}

// Push-pull rods bend and weigh with the rod that guides them, as if they ran along its axis; their
// inertia against rotation counts where they are.
static void add_wires(const element *e, const td_robot *robot, int index, bool rotary,
                      station *out) {
    double middle = e->s0 + 0.5 * e->length;
    for (int i = 0; i < robot_n_actuators(robot, KIND_tendon); i++) {
        const td_tendon_def *t = robot_tendon(robot, i);
        if (t->rod != index || middle < t->from || middle > t->to) continue;
        out->K[0] += t->bending;
        out->K[1] += t->bending;
        out->K[2] += t->torsion;
        out->mass += t->mass_per_length;
        if (!rotary) continue;
        double x = t->offset[0], y = t->offset[1], m = t->mass_per_length;
        out->J = vec3_add(out->J, vec3_make(m * y * y, m * x * x, m * (x * x + y * y)));
    }
}

static bool fill_element(element *e, const td_robot *robot, int index, const td_options *options,
                         const space_scheme *scheme) {
    const robot_rod *rr = &robot->rods[index];
    size_t n = (size_t)e->n_nodes;
    e->stations = calloc(n, sizeof *e->stations);
    e->quadrature = calloc(n, sizeof *e->quadrature);
    double *x = e->shares = calloc(n, sizeof *x);
    bool ok = e->stations && e->quadrature && x && scheme->place(e->n_nodes, x, e->quadrature);
    if (ok && scheme->between) ok = (e->between = calloc(n, sizeof *e->between)) != NULL;
    for (int i = 0; ok && i < e->n_nodes; i++) {
        e->stations[i] = station_in(e, rr, x[i], options);
        add_wires(e, robot, index, options->rotary_inertia, &e->stations[i]);
        e->quadrature[i] *= e->length;
        if (!e->between || i == 0) continue;
        e->between[i - 1] = station_in(e, rr, 0.5 * (x[i - 1] + x[i]), options);
        add_wires(e, robot, index, options->rotary_inertia, &e->between[i - 1]);
    }
    return ok;
}

// What surrounds them, where that is more than a medium at rest; drag is then by the velocity against it.
static bool fill_around(element *e, const td_robot *robot, int index) {
    const robot_rod *rr = &robot->rods[index];
    e->around = calloc((size_t)e->n_nodes, sizeof *e->around);
    for (int i = 0; e->around && i < e->n_nodes; i++) {
        double at;
        const td_piece_def *piece = piece_of(e, rr, e->shares[i], &at);
        const section_surface s = piece_surface(piece, at, robot->fluid.density);
        station *st = &e->stations[i];
        e->around[i].body = (point_body){.drag = st->drag, .linear_drag = st->linear};
        e->around[i].added = vec3_load(s.added);
        point_body_add(&e->around[i].body, &s, 1.0);
        st->drag = st->linear = vec3_zero();
    }
    return e->around != NULL;
}

// Laws, where stations do not say all. They have the stiffness of the stations, wires included.
static bool fill_laws(element *e, const robot_rod *rr) {
    double at;
    const td_piece_def *piece = piece_of(e, rr, 0.5, &at);
    const section_law one = law_of_piece(piece, at);
    const size_t n = (size_t)e->n_nodes;
    if (law_is_plain(&one) && !rr->mean_stretch) return true;
    e->laws = calloc(n, sizeof *e->laws);
    e->moduli = calloc(2 * n, sizeof *e->moduli);
    for (int i = 0; e->laws && e->moduli && i < e->n_nodes; i++) {
        piece_of(e, rr, e->shares[i], &at);
        e->laws[i] = law_of_piece(piece, at);
        memcpy(e->laws[i].stiffness, e->stations[i].K, sizeof one.stiffness);
        memcpy(e->laws[i].damping, e->stations[i].B, sizeof one.damping);
        e->moduli[2 * i] = piece->youngs_modulus;
        e->moduli[2 * i + 1] = piece->shear_modulus;
    }
    return e->laws && e->moduli;
}

// ---------------------------------------------------------------- actuators
static int unknown_efforts(const actuator *a, int n_nodes) {
    int at_start = a->control == CONTROL_EFFORT ? 0 : 1;
    return actuator_rubs(a) ? n_nodes + at_start : at_start;
}

// The nodes of an element as arc lengths.
static bool node_places(const element *e, const space_scheme *scheme, double *s) {
    double *w = calloc((size_t)e->n_nodes, sizeof *w);
    bool ok = w && scheme->place(e->n_nodes, s, w);
    for (int i = 0; ok && i < e->n_nodes; i++) s[i] = e->s0 + s[i] * e->length;
    free(w);
    return ok;
}

static bool fill_route(rod_actuator *ra, const rod *r, const space_scheme *scheme) {
    double *s = calloc((size_t)r->n_nodes, sizeof *s);
    ra->at = calloc((size_t)ra->n_nodes, sizeof *ra->at);
    ra->places = calloc((size_t)ra->n_nodes, sizeof *ra->places);
    ra->rest = calloc((size_t)ra->n_nodes, sizeof *ra->rest);
    ra->element = calloc((size_t)ra->n_nodes, sizeof *ra->element);
    bool ok = s && ra->at && ra->places && ra->rest && ra->element;
    if (ok && scheme->between)
        ok = (ra->between = calloc((size_t)ra->n_nodes, sizeof *ra->between)) != NULL;
    for (int k = 0; ok && k < ra->n_elements; k++) {
        const element *e = &r->elements[ra->first_element + k];
        ok = node_places(e, scheme, s);
        for (int i = 0; ok && i < e->n_nodes; i++) {
            int node = e->node + i - ra->first_node;
            ra->places[node] = s[i];
            ra->at[node] = actuator_route(ra->a, s[i]);
            ra->rest[node] =
                actuator_density(ra->a, &ra->at[node], e->stations[i].u_rest, e->stations[i].v_rest)
                    .value;
            ra->element[node] = ra->first_element + k;
            if (ra->between && i + 1 < e->n_nodes)
                ra->between[node] = actuator_route(ra->a, 0.5 * (s[i] + s[i + 1]));
        }
    }
    free(s);
    return ok;
}

static void place_actuator(rod_actuator *ra, const rod *r) {
    ra->first_element = -1;
    for (int k = 0; k < r->n_elements; k++) {
        const element *e = &r->elements[k];
        double middle = e->s0 + 0.5 * e->length;
        if (middle < ra->a->from || middle > ra->a->to) continue;
        if (ra->first_element < 0) ra->first_element = k, ra->first_node = e->node;
        ra->n_elements++;
        ra->n_nodes += e->n_nodes;
    }
    if (ra->first_element < 0) ra->first_element = 0;  // shorter than a cut: it does nothing
}

static bool compile_actuators(rod *r, int index, const actuator *all, int n,
                              const space_scheme *scheme) {
    r->actuators = calloc((size_t)n + 1, sizeof *r->actuators);
    bool ok = r->actuators != NULL;
    for (int i = 0; ok && i < n; i++) {
        if (all[i].rod != index || actuator_in_joint(&all[i])) continue;
        rod_actuator *ra = &r->actuators[r->n_actuators++];
        ra->a = &all[i];
        place_actuator(ra, r);
        ra->first_point = r->n_points;
        ra->effort = r->n_efforts;
        ra->n_efforts = unknown_efforts(ra->a, ra->n_nodes);
        ra->effort_scale = r->moment_scale / ra->a->offset / ra->a->per_length;
        r->n_points += ra->n_nodes;
        r->n_efforts += ra->n_efforts;
        ok = fill_route(ra, r, scheme);
    }
    return ok;
}

// The bending stiffness and the length set the scale of forces and moments.
static void set_scales(rod *r) {
    const station *st = &r->elements[0].stations[0];
    double EI = fmax(st->K[0], st->K[1]);
    r->moment_scale = EI / r->length;
    r->force_scale = EI / (r->length * r->length);
}

#define PARTS_TO_TOUCH                                                                             \
    16                    // of a rod that may touch something, with half the nodes in each, or more
#define MOST_TO_TOUCH 32  // where obstacles are so thin that they would pass between nodes
#define APART 0.35        // of a part's length: its nodes, four or more, are nearer to one another

// So many that no obstacle is thinner than the nodes are apart, as touch_notes sees it.
static int parts_to_touch(const cosserat *c, const td_robot *robot, int index) {
    double parts = PARTS_TO_TOUCH;
    for (int i = 0; i < c->n_obstacles; i++) {
        const double sees = 0.5 * c->obstacles[i].through + touch_radius(robot, index, 0.0);
        parts = fmax(parts, ceil(APART * robot->rods[index].length / sees));
    }
    return (int)fmin(parts, MOST_TO_TOUCH);
}

// Into how many parts a rod is cut, and how many nodes each has.
static int parts_of(const cosserat *c, const td_robot *robot, int index, int *nodes) {
    const td_options *o = &c->options;
    *nodes = o->nodes;
    if (o->space != TD_COLLOCATION) return 1;
    if (o->elements > 0) return o->elements;
    if (c->n_obstacles == 0 && robot->n_contacts == 0) return 1;
    *nodes = o->nodes < 4 ? 2 : (o->nodes + 1) / 2;
    return parts_to_touch(c, robot, index);
}

static bool compile_rod(const cosserat *c, rod *r, const td_robot *robot, int index) {
    td_options of_part = c->options, *options = &of_part;
    const int parts = parts_of(c, robot, index, &of_part.nodes);
    const space_scheme *scheme = c->scheme;
    const robot_rod *rr = &robot->rods[index];
    double *cuts;
    int n_cuts = find_cuts(robot, index, parts, &cuts);
    if (n_cuts < 0) return false;
    r->name = strdup(rr->name);
    r->length = r->rest_length = rr->length;
    r->grows = growing_stretch(robot, index);
    r->grows_at_tip = rr->feed_at_tip;
    r->base = rr->base;
    r->base_body = -1;
    r->feed = rr->feed;
    r->kirchhoff = options->theory == TD_KIRCHHOFF;
    r->follows = rr->mean_stretch;
    if (c->around.n_fields || c->around.fluid.density > 0.0) r->around = &c->around;
    r->all = c->actuators, r->n_all = c->n_actuators, r->index = index;
    r->elements = calloc((size_t)n_cuts, sizeof *r->elements);
    bool ok = r->name && r->elements;
    for (int i = 0; ok && i + 1 < n_cuts; i++) {
        element *e = &r->elements[r->n_elements++];
        e->s0 = e->rest_s0 = cuts[i];
        e->length = e->rest_length = cuts[i + 1] - cuts[i];
        const double share = parts * e->length / r->length;
        e->n_nodes = scheme->count(options, share > 1.0 - 1e-9 ? 1.0 : share);
        e->node = r->n_nodes;
        r->n_nodes += e->n_nodes;
        ok = collect_loads(e, robot, index, SAME_PLACE * r->length) &&
             collect_riders(e, robot, index, SAME_PLACE * r->length) &&
             fill_element(e, robot, index, options, scheme) && fill_laws(e, rr) &&
             (!r->around || fill_around(e, robot, index));
        r->ridden = r->ridden || e->n_riders > 0;
        r->has_laws = r->has_laws || e->laws;
        e->inner = r->n_inner;
        if (e->laws) r->n_inner += e->n_nodes * law_memory(&e->laws[0]);
    }
    free(cuts);
    if (!ok) return false;
    set_scales(r);
    return compile_actuators(r, index, c->actuators, c->n_actuators, scheme) &&
           contact_compile_rod(c, robot, r) && scheme->prepare(r, options);
}

// Friction here is that of a string: it grows with a tension that pulls.
static td_status check_wires(const td_robot *robot, td_error *err) {
    for (int i = 0; i < robot_n_actuators(robot, KIND_tendon); i++) {
        const td_tendon_def *t = robot_tendon(robot, i);
        if (!t->pushes || (t->friction == 0.0 && t->viscous == 0.0)) continue;
        char where[256];
        snprintf(where, sizeof where, "tendons.%s.friction", t->name);
        return error_set(err, TD_ERR_UNSUPPORTED, where,
                         "cosserat has friction of tendons that pull only, and this one pushes; "
                         "the model virtual_power has both");
    }
    return TD_OK;
}

// What a rod is made of, where that is more than a linear and diagonal law.
static const char *special_law(const robot_rod *r) {
    if (r->mean_stretch) return "sections that follow the mean stretch";
    for (int i = 0; i < r->n_pieces; i++) {
        const section_law l = law_of_piece(&r->pieces[i], 0.5);
        if (l.rubber) return "rubber";
        if (l.power != 1.0) return "damping by a power";
        if (l.coupled) return "sections that couple modes";
        if (l.n_terms) return "materials that relax";
        if (l.fibres != TD_HOOKEAN) return "sections of fibres";
        if (l.hysteresis.moment > 0.0) return "hysteresis of bending";
    }
    return NULL;
}

static td_status check_laws(const td_robot *robot, const space_scheme *scheme, td_error *err) {
    for (int i = 0; i < robot->n_rods && !scheme->has_laws; i++) {
        const char *what = special_law(&robot->rods[i]);
        char where[256];
        snprintf(where, sizeof where, "rods.%s", robot->rods[i].name);
        if (what)
            return error_set(err, TD_ERR_UNSUPPORTED, where,
                             "the space scheme %s cannot do %s; collocation can", scheme->name,
                             what);
    }
    return TD_OK;
}

// What runs through the stretch that gets longer moves past its sections: at the same place in each of them.
static td_status check_fed_paths(const td_robot *robot, const actuator *actuators, int index,
                                 fed_stretch g, td_error *err) {
    const double near = SAME_PLACE * (g.to - g.from);
    for (int i = 0; i < robot->n_actuators; i++) {
        const actuator *a = &actuators[i];
        const actuator_head h = actuator_head_of(&robot->actuators[i]);
        if (h.rod != index || h.from > g.from + near || h.to < g.to - near) continue;
        for (int k = 0; k < PATH_CHECKS; k++) {
            const double s = g.from + (g.to - g.from) * (k + 0.5) / PATH_CHECKS;
            const double slope = vec3_norm(actuator_route(a, s).r_s);
            char where[256];
            if (slope <= SAME_PLACE) continue;
            snprintf(where, sizeof where, "%s.%s", robot->actuators[i].kind->words.plural, h.name);
            return error_set(
                err, TD_ERR_VALUE, where,
                "at s = %.6g m its path goes aside by %.6g m per m; rod '%s' is fed, and the "
                "stretch that gets longer, %.6g to %.6g m, needs it parallel to the axis: end that "
                "stretch by a piece, or let it %s",
                s, slope, robot->rods[index].name, g.from, g.to,
                robot->rods[index].feed_at_tip ? "end before" : "enter beyond");
        }
    }
    return TD_OK;
}

// What sits at the tip would have to move along with it.
static td_status check_growing_tip(const td_robot *robot, const actuator *actuators, int index,
                                   td_error *err) {
    const robot_rod *r = &robot->rods[index];
    const double end = r->length * (1.0 - SAME_PLACE);
    char where[256];
    for (int i = 0; i < robot->n_bodies; i++) {
        const td_body_def *d = &robot->bodies[i].def;
        snprintf(where, sizeof where, "bodies.%s", robot->bodies[i].name);
        if (d->rod == index && d->at >= end)
            return error_set(err, TD_ERR_UNSUPPORTED, where,
                             "rod '%s' grows at its tip (feed_at_tip), where no body can ride; "
                             "before it, at less than %.6g m, one can",
                             r->name, r->length);
    }
    for (int i = 0; i < robot->n_actuators; i++) {
        const actuator_head h = actuator_head_of(&robot->actuators[i]);
        snprintf(where, sizeof where, "%s.%s", robot->actuators[i].kind->words.plural, h.name);
        if (h.rod == index && h.to >= end && actuator_rubs(&actuators[i]))
            return error_set(err, TD_ERR_UNSUPPORTED, where,
                             "rod '%s' grows at its tip (feed_at_tip), and what rubs must end "
                             "before it",
                             r->name);
    }
    return TD_OK;
}

// History of a fed rod is that of its material, which moves past the nodes: which way that went has kinks between them.
// Nodes at the ends of elements, as shooting has them, belong to two stretches, of which one gets longer.
static td_status check_fed_rod(const td_robot *robot, const actuator *actuators, int index,
                               const td_options *options, td_error *err) {
    const robot_rod *r = &robot->rods[index];
    const fed_stretch g = growing_stretch(robot, index);
    char where[256];
    snprintf(where, sizeof where, "rods.%s.feed", r->name);
    if (piece_remembers_ways(growing_piece(r)))
        return error_set(err, TD_ERR_UNSUPPORTED, where,
                         "cosserat cannot feed a piece whose material remembers which way it went "
                         "(hysteresis, a superelastic alloy), and no model can; beyond the piece "
                         "that gets longer it may");
    if (r->feed_at_tip && options->space != TD_COLLOCATION)
        return error_set(err, TD_ERR_UNSUPPORTED, where,
                         "the space scheme %s feeds rods at their bases alone; collocation lets "
                         "them grow at their tips",
                         scheme_of(options->space)->name);
    if (g.to < r->length && options->space != TD_COLLOCATION)
        return error_set(err, TD_ERR_UNSUPPORTED, where,
                         "the space scheme %s feeds uniform rods alone, with nothing on the "
                         "way; collocation feeds others",
                         scheme_of(options->space)->name);
    const td_status status = check_fed_paths(robot, actuators, index, g, err);
    if (status < 0 || !r->feed_at_tip) return status;
    return check_growing_tip(robot, actuators, index, err);
}

static td_status check_fed(const td_robot *robot, const actuator *actuators,
                           const td_options *options, td_error *err) {
    td_status status = TD_OK;
    for (int i = 0; i < robot->n_rods && status >= 0; i++)
        if (is_fed(robot->rods[i].feed)) status = check_fed_rod(robot, actuators, i, options, err);
    return status;
}

static td_status check_around(const td_robot *robot, const td_options *options, td_error *err) {
    if (options->space == TD_COLLOCATION) return TD_OK;
    if (robot_has_magnets(robot))
        return error_set(err, TD_ERR_UNSUPPORTED, "fields",
                         "the space scheme %s cannot do magnets; collocation can",
                         scheme_of(options->space)->name);
    if (robot->fluid.density > 0.0)
        return error_set(err, TD_ERR_UNSUPPORTED, "fluid",
                         "the space scheme %s cannot do a fluid; collocation can",
                         scheme_of(options->space)->name);
    return TD_OK;
}

// A load at the very base goes into what holds it; where that moves, it would have to move it.
static td_status check_loads(const td_robot *robot, td_error *err) {
    for (int i = 0; i < robot->n_loads; i++) {
        const td_load_def *l = &robot->loads[i].def;
        if (l->rod < 0 || l->distributed) continue;
        const robot_rod *r = &robot->rods[l->rod];
        const bool moves = r->base.body != TD_WORLD && r->base.joint == TD_CLAMP;
        if (!moves || l->from > SAME_PLACE * r->length) continue;
        char where[256];
        snprintf(where, sizeof where, "loads.%s", l->name);
        return error_set(err, TD_ERR_UNSUPPORTED, where,
                         "acts at the base of '%s', which is clamped to a body: cosserat has loads "
                         "on bodies, and on rods from a little way along them",
                         r->name);
    }
    return TD_OK;
}

// What holds a spring does not move by itself.
static td_status check_spring(const char *kind, const char *name, const char *end,
                              const td_spring_def *spring, bool motor, bool driven, td_error *err) {
    char key[32];
    snprintf(key, sizeof key, "%s.joint", end);
    if (!driven || !(motor || has_spring(spring))) return TD_OK;
    return refuse_part(
        kind, name, key,
        motor ? "an input moves what holds a joint with a motor; let the motor move it alone"
              : "an input moves what holds a spring; let it drive the spring's rest",
        err);
}

#define NO_EXTENSION                                                                               \
    "rods of theory kirchhoff have no shear and no extension; take theory: cosserat"

// A rod that does not stretch has no stretch at rest that could change.
static td_status check_muscles(const td_robot *robot, const td_options *options, td_error *err) {
    for (int i = 0; i < robot_n_actuators(robot, KIND_muscle); i++) {
        const td_muscle_def *m = robot_actuator_at(robot, KIND_muscle, i)->def;
        const bool stretches = m->stretch[0] != 0.0 || m->stretch[1] != 0.0 || m->stretch[2] != 0.0;
        if (stretches && options->theory == TD_KIRCHHOFF)
            return refuse_part("muscles", m->name, "stretch", NO_EXTENSION, err);
    }
    for (int i = 0; i < robot_n_actuators(robot, KIND_temperature); i++) {
        const td_temperature_def *t = robot_actuator_at(robot, KIND_temperature, i)->def;
        if (t->expansion != 0.0 && options->theory == TD_KIRCHHOFF)
            return refuse_part("temperatures", t->name, "expansion", NO_EXTENSION, err);
    }
    return TD_OK;
}

static td_status check_springs(const td_robot *robot, td_error *err) {
    td_status status = TD_OK;
    for (int i = 0; i < robot->n_rods && !status; i++) {
        const robot_rod *r = &robot->rods[i];
        const td_base_def *b = &r->base;
        status = check_spring("rods", r->name, "base", &b->spring,
                              motor_of_joint(robot, i, TD_BASE) >= 0,
                              any_driven(b->position, 3) || any_driven(b->rotation, 3), err);
        if (!status && r->tip.held)
            status = check_spring(
                "rods", r->name, "tip", &r->tip.spring, motor_of_joint(robot, i, TD_TIP) >= 0,
                any_driven(r->tip.position, 3) || any_driven(r->tip.rotation, 3), err);
    }
    for (int i = 0; i < robot->n_bodies && !status; i++) {
        const td_tip_def *h = &robot->bodies[i].def.hold;
        if (h->held)
            status = check_spring("bodies", robot->bodies[i].name, "held", &h->spring,
                                  motor_of_body(robot, i) >= 0,
                                  any_driven(h->position, 3) || any_driven(h->rotation, 3), err);
    }
    return status;
}

// The past of a rod that is fed is interpolated between its nodes, which is not quite conservative:
// without any damping its fastest vibrations grow.
static bool note_scheme(cosserat *c) {
    const td_options *o = &c->options;
    if (o->scheme != TD_TRAPEZOIDAL && !(o->scheme == TD_BDF_ALPHA && o->alpha <= -0.5))
        return true;
    bool ok = true;
    for (int i = 0; i < c->n_rods && ok; i++)
        if (rod_is_fed(&c->rods[i]))
            ok = notes_add(
                &c->notes,
                "simulation.time.scheme: the trapezoidal rule damps nothing, and the fastest "
                "vibrations of a rod that is fed, '%s', may grow by it; bdf-alpha, bdf2 and "
                "sdirk2 suit",
                c->rods[i].name);
    return ok;
}

void *cosserat_compile(const td_robot *robot, const actuator *actuators, const td_options *options,
                       td_error *err) {
    const space_scheme *scheme = scheme_of(options->space);
    if (check_wires(robot, err) < 0 || check_loads(robot, err) < 0) return NULL;
    if (check_around(robot, options, err) < 0) return NULL;
    if (check_laws(robot, scheme, err) < 0 || check_fed(robot, actuators, options, err) < 0 ||
        contact_check(robot, options, err) < 0)
        return NULL;
    if (check_springs(robot, err) < 0 || check_muscles(robot, options, err) < 0) return NULL;
    if (scheme->check && scheme->check(robot, options, err) < 0) return NULL;
    cosserat *c = calloc(1, sizeof *c);
    if (c) c->rods = calloc((size_t)robot->n_rods, sizeof *c->rods);
    bool ok = c && c->rods;
    if (ok) {
        c->options = *options;
        c->scheme = scheme;
        c->n_inputs = robot->n_inputs;
        c->around = environment_of(robot);
        for (int i = 0; i < 3; i++)
            c->brings_energy = c->brings_energy || robot->gravity[i].gain != 0.0;
        for (int i = 0; i < robot->n_bodies; i++)
            c->brings_energy = c->brings_energy || robot->bodies[i].def.attached.gain != 0.0;
        for (int i = 0; i < c->n_inputs; i++)
            c->brings_energy =
                c->brings_energy || fields_driven_by(c->around.fields, c->around.n_fields, i);
        c->actuators = actuators;
        c->n_actuators = robot->n_actuators;
        ok = contact_compile(c, robot);
    }
    for (int i = 0; ok && i < robot->n_rods; i++) {
        c->n_rods = i + 1;
        ok = compile_rod(c, &c->rods[i], robot, i);
    }
    ok = ok && note_scheme(c) && contact_add_notes(c, robot);
    if (ok && assemblies_make(c, robot) && contact_compile_bodies(c, robot)) return c;
    error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    cosserat_release(c);
    return NULL;
}

void cosserat_release(void *compiled) {
    cosserat *c = compiled;
    if (!c) return;
    for (int i = 0; i < c->n_rods; i++) {
        for (int k = 0; k < c->rods[i].n_elements; k++) {
            element *e = &c->rods[i].elements[k];
            free(e->stations);
            free(e->laws);
            free(e->moduli);
            free(e->around);
            free(e->between);
            free(e->quadrature);
            free(e->shares);
            free(e->spread);
            free(e->end_loads);
            free(e->riders);
        }
        for (int k = 0; k < c->rods[i].n_actuators; k++) {
            free(c->rods[i].actuators[k].at);
            free(c->rods[i].actuators[k].between);
            free(c->rods[i].actuators[k].places);
            free(c->rods[i].actuators[k].rest);
            free(c->rods[i].actuators[k].element);
        }
        free(c->rods[i].actuators);
        c->scheme->discard(&c->rods[i]);
        free(c->rods[i].elements);
        free(c->rods[i].name);
    }
    assemblies_free(c);
    contact_release(c);
    notes_free(&c->notes);
    free(c->rods);
    free(c);
}

// ---------------------------------------------------------------- values at given inputs
static vec3 numbers_of(const td_number n[3], const double *inputs, double scale) {
    return vec3_make(scale * number_value(n[0], inputs), scale * number_value(n[1], inputs),
                     scale * number_value(n[2], inputs));
}

static void sum_loads(const rod_load *loads, int n, const double *inputs, double scale,
                      wrench *world, wrench *body) {
    *world = *body = (wrench){vec3_zero(), vec3_zero()};
    for (int i = 0; i < n; i++) {
        wrench *to = loads[i].frame == TD_FRAME_WORLD ? world : body;
        to->force = vec3_add(to->force, numbers_of(loads[i].force, inputs, scale));
        to->moment = vec3_add(to->moment, numbers_of(loads[i].moment, inputs, scale));
    }
}

void rod_loads_at(const rod *r, const double *inputs, double scale, element_loads *out) {
    for (int i = 0; i < r->n_elements; i++) {
        const element *e = &r->elements[i];
        sum_loads(e->spread, e->n_spread, inputs, scale, &out[i].world, &out[i].body);
        sum_loads(e->end_loads, e->n_end_loads, inputs, scale, &out[i].end_world, &out[i].end_body);
        out[i].end_mass = rigid_none();
        if (r->around) out[i].end_around = (point_body){.mass = 0.0};
        for (int k = 0; k < e->n_riders; k++) {
            const double share = number_value(e->riders[k].attached, inputs);
            out[i].end_mass = rigid_add(&out[i].end_mass, share, &e->riders[k].mass);
            if (r->around) point_body_join(&out[i].end_around, &e->riders[k].around, share);
        }
    }
}

void rod_given_at(const rod *r, const double *inputs, double scale, double *out) {
    for (int i = 0; i < r->n_actuators; i++)
        out[i] = actuator_given(r->actuators[i].a, inputs, scale);
}

wrench body_loads_at(const free_body *b, const double *inputs, double scale, const mat3 *R) {
    wrench world, body;
    sum_loads(b->loads, b->n_loads, inputs, scale, &world, &body);
    return (wrench){vec3_add(world.force, mat3_mul_vec(R, body.force)),
                    vec3_add(world.moment, mat3_mul_vec(R, body.moment))};
}

double rod_length_at(const rod *r, const double *inputs) {
    return r->length + number_value(r->feed, inputs);
}

vec3 rod_gravity_at(const cosserat *c, const double *inputs, double scale) {
    return environment_gravity(&c->around, inputs, scale);
}

base_motion frame_at(const td_base_def *frame, double share, const double *inputs,
                     const double *rates) {
    vec3 turn = numbers_of(frame->rotation, inputs, share);
    vec3 turn_rate = vec3_zero(), velocity = vec3_zero();
    if (rates) {
        const td_number *a = frame->rotation, *b = frame->position;
        turn_rate =
            vec3_make(number_rate(a[0], rates), number_rate(a[1], rates), number_rate(a[2], rates));
        velocity =
            vec3_make(number_rate(b[0], rates), number_rate(b[1], rates), number_rate(b[2], rates));
    }
    base_motion base = {.p = numbers_of(frame->position, inputs, 1.0)};
    base.h = quat_normalise(quat_mul(quat_load(frame->orientation), quat_exp(turn)));
    mat3 R = quat_to_mat3(base.h);
    mat3 dexp = so3_dexp_right(turn);  // w = dexp_right(r) r_t in the body frame
    base.q = mat3_tmul_vec(&R, velocity);
    base.w = mat3_mul_vec(&dexp, turn_rate);
    return base;
}

base_motion rod_base_at(const rod *r, double turn, const double *inputs, const double *rates) {
    base_motion base = frame_at(&r->base, turn, inputs, rates);
    base.out = rod_fed_rate(r, rates);
    return base;
}
