// model/virtual_power/compile_discs.c - places of discs, and the masses and stiffnesses lumped
// there.
#include <stdlib.h>

#include "model/virtual_power/compile.h"
#include "robot/inertia.h"

#define NODES 4  // of the rule for integrals over a stretch of a piece
static const double gauss_x[NODES] = {0.069431844202973712, 0.33000947820757187,
                                      0.66999052179242813, 0.93056815579702629};
static const double gauss_w[NODES] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307,
                                      0.17392742256872693};

// ---------------------------------------------------------------- places
static int count_riders(const td_robot *robot, int rod) {
    int n = 0;
    for (int i = 0; i < robot->n_bodies; i++) n += robot->bodies[i].def.rod == rod;
    return n;
}

// A rod without discs of its own has one wherever something ends or acts, beside those in equal
// distances.
static int add_ends(const td_robot *robot, int rod, double *s) {
    int n = 0;
    for (int i = 0; i < robot->n_actuators; i++) {
        const actuator_head h = actuator_head_of(&robot->actuators[i]);
        if (h.rod == rod) s[n++] = h.to;
    }
    for (int i = 0; i < robot->n_loads; i++) {
        const td_load_def *load = &robot->loads[i].def;
        if (load->rod == rod && !load->distributed) s[n++] = load->from;
    }
    return n;
}

static void sort_and_join(disc_places *p, double length) {
    qsort(p->s, (size_t)p->n, sizeof *p->s, ascending);
    int n = 0;
    for (int i = 0; i < p->n; i++) {
        double before = n ? p->s[n - 1] : 0.0;
        if (p->s[i] - before > SAME_PLACE * length) p->s[n++] = p->s[i];
    }
    p->n = n;
    p->s[n - 1] = length;  // the tip was among them
}

bool find_places(const td_robot *robot, int rod, int discs, disc_places *out) {
    const double length = robot->rods[rod].length;
    int riders = count_riders(robot, rod);
    size_t most = (size_t)(riders + discs + robot->n_actuators + robot->n_loads + 1);
    *out = (disc_places){.s = calloc(most, sizeof(double)), .bodies = riders > 1};
    if (!out->s) return false;
    for (int i = 0; i < robot->n_bodies; i++) {
        const td_body_def *b = &robot->bodies[i].def;
        if (b->rod != rod) continue;
        out->s[out->n++] = b->at;
        out->last_body = fmax(out->last_body, b->at);
    }
    if (!out->bodies) {
        for (int i = 1; i < discs; i++) out->s[out->n++] = length * i / discs;
        out->n += add_ends(robot, rod, out->s + out->n);
    }
    out->s[out->n++] = length;
    sort_and_join(out, length);
    return true;
}

int disc_at(const disc_places *p, double s, double length) {
    for (int i = 0; i < p->n; i++)
        if (fabs(p->s[i] - s) <= SAME_PLACE * length) return i;
    return -1;
}

// ---------------------------------------------------------------- what lies around a disc
// Mass m at place r from the disc's origin, with the inertia `own` about itself.
static void add_mass(segment *s, double m, vec3 r, mat3 own) {
    mat3 outer = mat3_outer(r, r);
    double r2 = vec3_dot(r, r);
    s->mass += m;
    s->moment = vec3_madd(s->moment, m, r);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            s->inertia.m[i][j] += own.m[i][j] + m * ((i == j ? r2 : 0.0) - outer.m[i][j]);
}

// Calls for each node of the rule on [from, to], piece by piece.
typedef struct stretch {
    const td_robot *robot;
    int rod;
    const actuator *actuators;
    segment *segment;
    double origin;        // m, of the disc
    bool rotary_inertia;  // of sections
} stretch;
typedef void visitor(const stretch *at, const td_piece_def *piece, double x, double s, double ds);

static void visit(const stretch *at, double from, double to, visitor *f) {
    const robot_rod *rod = &at->robot->rods[at->rod];
    double start = 0.0;
    for (int i = 0; i < rod->n_pieces; i++) {
        const td_piece_def *piece = &rod->pieces[i];
        double a = fmax(from, start), b = fmin(to, start + piece->length);
        for (int k = 0; k < NODES && b > a; k++) {
            double s = a + gauss_x[k] * (b - a);
            f(at, piece, (s - start) / piece->length, s, gauss_w[k] * (b - a));
        }
        start += piece->length;
    }
}

static void add_core_mass(const stretch *at, const td_piece_def *piece, double x, double s,
                          double ds) {
    td_section_properties p = piece_properties(piece, x);
    add_mass(at->segment, p.mass * ds, vec3_make(0.0, 0.0, s - at->origin),
             mat3_diag(vec3_scale(vec3_load(p.inertia), at->rotary_inertia ? ds : 0.0)));
    for (int i = 0; i < at->robot->n_actuators; i++) {
        const td_tendon_def *t = &at->actuators[i].path;
        if (t->rod != at->rod || s < t->from || s > t->to) continue;
        vec3 r = actuator_route(&at->actuators[i], s).r;
        r.z = s - at->origin;
        add_mass(at->segment, t->mass_per_length * ds, r, mat3_diag(vec3_zero()));
    }
}

// What surroundings see of it; a fluid carries it where it is.
static void add_core_surface(const stretch *at, const td_piece_def *piece, double x, double s,
                             double ds) {
    point_body *to = &at->segment->around;
    const double before = to->displaced;
    point_body_add_piece(to, piece, x, at->robot->fluid.density, ds);
    to->displaced_at.z += (to->displaced - before) * (s - at->origin);
}

static void add_stiffness(const stretch *at, const td_piece_def *piece, double x, double s,
                          double ds) {
    (void)s;
    td_section_properties p = piece_properties(piece, x);
    segment *to = at->segment;
    double share = ds / to->length;
    for (int k = 0; k < 3; k++) {
        double rest = piece->rest_curvature[k];
        to->stiffness[k] += share * p.stiffness[k];
        to->rest_moment[k] += share * p.stiffness[k] * rest;
        to->damping[k] += share * p.damping[k];
        to->rest_energy += 0.5 * ds * p.stiffness[k] * rest * rest;
    }
}

static void add_bodies(const td_robot *robot, int rod, double tolerance, segment *s) {
    for (int i = 0; i < robot->n_bodies; i++) {
        const td_body_def *b = &robot->bodies[i].def;
        if (b->rod != rod || fabs(b->at - s->s) > tolerance || b->attached.value <= 0.5) continue;
        add_mass(s, b->mass, vec3_load(b->centre), body_inertia(b));
        const point_body around = point_body_of(b, robot->fluid.density);
        point_body_join(&s->around, &around, 1.0);
    }
}

// Each disc carries what is nearest to it: half the core before it and half that beyond. The first
// half next to the base does not move.
void fill_segments(const td_robot *robot, int rod, const disc_places *p, const actuator *actuators,
                   const td_options *options, segment *segments) {
    const double length = robot->rods[rod].length;
    for (int i = 0; i < p->n; i++) {
        double before = i ? p->s[i - 1] : 0.0, beyond = i + 1 < p->n ? p->s[i + 1] : length;
        segment *s = &segments[i];
        *s = (segment){.length = p->s[i] - before, .s = p->s[i]};
        stretch at = {robot, rod, actuators, s, s->s, options->rotary_inertia};
        visit(&at, before, s->s, add_stiffness);
        if (!options->virtual_power.whole_discs)
            visit(&at, 0.5 * (before + s->s), 0.5 * (s->s + beyond), add_core_mass);
        visit(&at, 0.5 * (before + s->s), 0.5 * (s->s + beyond), add_core_surface);
        add_bodies(robot, rod, SAME_PLACE * length, s);
    }
}

segment still_part(const td_robot *robot, int rod, const disc_places *p, const actuator *actuators,
                   const td_options *options) {
    segment s = {0};
    const stretch at = {robot, rod, actuators, &s, 0.0, options->rotary_inertia};
    if (!options->virtual_power.whole_discs) visit(&at, 0.0, 0.5 * p->s[0], add_core_mass);
    visit(&at, 0.0, 0.5 * p->s[0], add_core_surface);
    return s;
}
