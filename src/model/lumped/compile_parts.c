// model/lumped/compile_parts.c - what segments and nodes are made of.
#include "math/quadrature.h"
#include "model/lumped/compile.h"
#include "robot/inertia.h"

lump lump_of(double mass, const double inertia[3], const double centre[3]) {
    vec3 c = vec3_load(centre);
    mat3 J = mat3_diag(vec3_load(inertia)), hat = mat3_hat(c), square = mat3_mul(&hat, &hat);
    mat3 shift = mat3_scale(&square, -mass);  // Steiner: - m c^ c^
    return (lump){mass, vec3_scale(c, mass), mat3_add(&J, &shift)};
}

lump lump_of_body(const td_body_def *def) {
    const double none[3] = {0.0, 0.0, 0.0};
    lump out = lump_of(def->mass, none, def->centre);
    const mat3 J = body_inertia(def);
    out.inertia = mat3_add(&J, &out.inertia);
    return out;
}

void add_lump(lump *to, const lump *from) {
    to->mass += from->mass;
    to->moment = vec3_add(to->moment, from->moment);
    to->inertia = mat3_add(&to->inertia, &from->inertia);
}

// Push-pull rods and wires stiffen the section and weigh along it.
static void add_wires(const td_robot *robot, const actuator *actuators, int rod, double s,
                      double ds, segment *out, lump *mass) {
    for (int i = 0; i < robot->n_actuators; i++) {
        const td_tendon_def *t = &actuators[i].path;
        if (t->rod != rod || s < t->from || s > t->to) continue;
        for (int k = 0; k < 3; k++)
            out->law.stiffness[k] += (k == 2 ? t->torsion : t->bending) * ds / out->length;
        double centre[3], none[3] = {0.0, 0.0, 0.0};
        vec3_store(centre, actuator_route(&actuators[i], s).r);
        lump wire = lump_of(t->mass_per_length * ds, none, centre);
        add_lump(mass, &wire);
    }
}

// Stiffnesses act in series along a segment; mass is that of all of it.
void fill_segment(const td_robot *robot, const actuator *actuators, int rod, double from, double to,
                  segment *out, lump *mass) {
    enum { POINTS = 3 };
    double x[POINTS], weight[POINTS], give[6] = {0.0};
    gauss_legendre(POINTS, x, weight);
    out->s = from;
    out->length = to - from;
    double middle;
    const td_piece_def *whole = piece_at(&robot->rods[rod], 0.5 * (from + to), &middle);
    out->law =
        law_of_piece(whole, middle);  // with one law along it, and the stiffness of all of it
    for (int k = 0; k < 6; k++) out->law.stiffness[k] = out->law.damping[k] = 0.0;
    for (int i = 0; i < POINTS; i++) {
        double s = from + x[i] * out->length, ds = weight[i] * out->length, at;
        const td_piece_def *piece = piece_at(&robot->rods[rod], s, &at);
        td_section_properties p = piece_properties(piece, at);
        for (int k = 0; k < 6; k++) {
            give[k] += weight[i] / p.stiffness[k];
            out->law.damping[k] += weight[i] * p.damping[k];
        }
        out->youngs_modulus += weight[i] * piece->youngs_modulus;
        out->shear_modulus += weight[i] * piece->shear_modulus;
        for (int k = 0; k < 3; k++) {
            out->rest[k] += weight[i] * piece->rest_curvature[k];
            out->rest[k + 3] += weight[i] * piece->rest_stretch[k];
        }
        const section_surface surface = piece_surface(piece, at, robot->fluid.density);
        point_body_add_piece(&out->around, piece, at, robot->fluid.density, ds);
        out->added = vec3_madd(out->added, ds, vec3_load(surface.added));
        const double none[3] = {0.0, 0.0, 0.0};
        double J[3] = {p.inertia[0] * ds, p.inertia[1] * ds, p.inertia[2] * ds};
        lump part = lump_of(p.mass * ds, J, none);
        add_lump(mass, &part);
        add_wires(robot, actuators, rod, s, ds, out, mass);
    }
    for (int k = 0; k < 6; k++) {
        out->law.flowing[k] = 1.0 / give[k];
        out->law.stiffness[k] += out->law.flowing[k];
    }
}

// Integral over [from, to] of the hat that is 1 at `peak` and 0 at `foot`.
static double slope_integral(double from, double to, double foot, double peak) {
    double a = fmax(from, fmin(foot, peak)), b = fmin(to, fmax(foot, peak));
    if (!(b > a)) return 0.0;
    return (b - a) * (0.5 * (a + b) - foot) / (peak - foot);
}

double load_share(const td_load_def *load, const cuts *at, int i, double length) {
    if (!load->distributed) return cut_at(at, load->from, length) == i ? 1.0 : 0.0;
    double sum = 0.0;
    if (i > 0) sum += slope_integral(load->from, load->to, at->s[i - 1], at->s[i]);
    if (i < at->n) sum += slope_integral(load->from, load->to, at->s[i + 1], at->s[i]);
    return sum;
}
